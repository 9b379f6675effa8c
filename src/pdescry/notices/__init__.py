"""What users are told (warnings, notes, reasons, advice) as values. Start at ``notice.py``.

notice      `Notice`: a code and parameters; `str` has the sentence for Python, `for_shell` that for the shell
catalogue   all codes, each with the template of its sentence
wording     marks in sentences, also in those of errors: an argument in Python, a flag at the shell
"""

from pdescry.notices.notice import Notice, NoticeWarning, declare, restored, stored

__all__ = ["Notice", "NoticeWarning", "declare", "restored", "stored"]
