"""Ctrl-C and SIGTERM, answered with what is finished by then and how to continue."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def reporting_interruption(say: Callable[[], str]) -> Iterator[None]:
    """Within it, both raise KeyboardInterrupt with the sentence that ``say`` gives at that moment, unless something
    within has said one."""

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, stop) if main else None
    try:
        yield
    except KeyboardInterrupt as interruption:
        raise KeyboardInterrupt(str(interruption) or say()) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)
