"""What the first bytes of a file say it is, and what its owner can do about it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
GZIP_MAGIC = b"\x1f\x8b"
_HEAD = 4096
_MOST_FOREIGN = 0.3  # the share of bytes beyond ASCII in a text of the West


class Seen(NamedTuple):
    """What a file looks like (empty if nothing is known), and the remedy that would help."""

    name: str
    remedy: str

    def __bool__(self) -> bool:
        return bool(self.name)


_AS_CSV = "save its table as CSV"
_UNPACK = "unpack it first"
_MATLAB = "pass ⟦format='matlab'⟧"
_NETCDF = "pass ⟦format='netcdf'⟧"
_PICTURE = "save the numbers behind it as CSV"
TEXT = Seen("text", "pass ⟦format='csv'⟧")
_UNKNOWN = Seen("", "")
_EXCEL = Seen("an Excel workbook", "pass ⟦format='excel'⟧")
_OLD_EXCEL = Seen("an old Excel workbook (.xls)", "save it as .xlsx or CSV")
_OPEN_DOCUMENT = Seen("an OpenDocument sheet", _AS_CSV)
_HDF5_REMEDY = "pass ⟦format='hdf5'⟧, or ⟦format='netcdf'⟧ or ⟦format='matlab'⟧ if one of those wrote it"

_MAGIC = {
    b"\x89PNG": Seen("a PNG picture", _PICTURE),
    b"\xff\xd8\xff": Seen("a JPEG picture", _PICTURE),
    b"GIF8": Seen("a GIF picture", _PICTURE),
    b"%PDF": Seen("a PDF document", _PICTURE),
    b"PAR1": Seen("Parquet", "pass ⟦format='parquet'⟧"),
    HDF5_MAGIC: Seen("HDF5, as NetCDF 4 and MATLAB 7.3 are", _HDF5_REMEDY),
    b"CDF\x01": Seen("NetCDF 3", _NETCDF),
    b"CDF\x02": Seen("NetCDF 3", _NETCDF),
    b"CDF\x05": Seen("NetCDF 3 with 64-bit data", "write it as NetCDF 4"),
    b"MATLAB 7.3": Seen("MATLAB 7.3", _MATLAB),
    b"MATLAB 5": Seen("MATLAB 5 to 7", _MATLAB),
    b"PK\x05\x06": Seen("an empty zip archive", "write it anew"),
    b"\x93NUMPY": Seen("npy", "pass ⟦format='npy'⟧, and ⟦dt=⟧ and ⟦dx=⟧"),
    GZIP_MAGIC: Seen("a gzip archive", _UNPACK),
    b"BZh": Seen("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ": Seen("an xz archive", _UNPACK),
    b"\xd0\xcf\x11\xe0": _OLD_EXCEL,
    b"\x80\x04\x95": Seen("a Python pickle, which can run any code", "save its arrays as .npz or CSV"),
}
_ZIP_MAGIC = b"PK\x03\x04"


def looks_like(path: Path) -> Seen:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(_ZIP_MAGIC):
        if b"opendocument" in head:
            return _OPEN_DOCUMENT
        if b"[Content_Types].xml" in head or path.suffix.lower() in (".xlsx", ".xlsm"):
            return _EXCEL
        return Seen("npz", "pass ⟦format='npz'⟧") if b".npy" in head else Seen("a zip archive", _UNPACK)
    return next(
        (seen for magic, seen in _MAGIC.items() if head.startswith(magic)), TEXT if _is_text(head) else _UNKNOWN
    )


def _is_text(head: bytes) -> bool:
    """UTF-16 with its mark, or no control characters and few bytes beyond ASCII."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if any(byte < 32 and byte not in b"\t\n\r\f" for byte in head):
        return False
    return sum(byte > 127 for byte in head) <= _MOST_FOREIGN * len(head)
