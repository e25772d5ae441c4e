"""Database files: where they lie, and arrays that are written whole, checked, and mapped into memory.

A file is 16 bytes (``GAMMONDB``, the header's length and its CRC-32, both uint32), a header of sorted JSON, and the
arrays. Everything is little-endian, and every array begins at a multiple of 64 bytes. The header has the format, the
kind and version of the database, the name, type, shape and place of each array, the size of the data and its SHA-256,
and whatever else the database says about itself. Equal databases make equal bytes, and nothing in a file is executed.
"""

import hashlib
import json
import math
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import DatabaseFileError
from gammon_rl.writing import own_folder, written_whole

FORMAT: Final = 1
FOLDER_VARIABLE: Final = "GAMMON_RL_DATA"
_MAGIC: Final = b"GAMMONDB"
_PREAMBLE: Final = struct.Struct("<8sII")
_ALIGNMENT: Final = 64
_LONGEST_HEADER: Final = 1 << 20
_BLOCK: Final = 1 << 22  # bytes read at once for the checksum


@dataclass(frozen=True, eq=False)
class Database:
    """A database file that has been opened.

    Attributes
    ----------
    arrays : mapping of str to array
        By name, mapped into memory and read-only: pages are read when they are first touched.
    about : mapping
        What the database says about itself.
    path : Path
        Where it lies.
    """

    arrays: Mapping[str, NDArray[Any]]
    about: Mapping[str, Any]
    path: Path


def data_folder() -> Path:
    """Return the folder of the databases: ``$GAMMON_RL_DATA``, or ``gammon-rl`` in the user's cache folder."""
    return own_folder(FOLDER_VARIABLE, "cache")


def database_path(name: str) -> Path:
    """Return where the database of that name lies, or would lie."""
    return data_folder() / f"{name}.db"


def write_database(
    path: Path, kind: str, version: int, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any] | None = None
) -> None:
    """Write a database file, whole or not at all.

    Parameters
    ----------
    path : Path
        Its folder is made where it is missing.
    kind, version : str, int
        What the file is; `read_database` insists on both.
    arrays : mapping of str to array
        Numbers of any shape and type; they are stored in C order.
    about : mapping, optional
        What can be said as JSON: how it was built, its error bounds.

    Raises
    ------
    DatabaseFileError
        If the file cannot be written.
    """
    # ascontiguousarray would turn a single number into an array of one
    stored = {name: np.asarray(one, dtype=one.dtype.newbyteorder("<"), order="C") for name, one in arrays.items()}
    places, end = [], 0
    for name, one in stored.items():
        place = _aligned(end)
        places.append({"name": name, "type": one.dtype.str, "shape": list(one.shape), "place": place})
        end = place + one.nbytes
    digest = hashlib.sha256()
    for piece in _pieces(stored):
        digest.update(piece)
    header = json.dumps(
        {
            "format": FORMAT,
            "kind": kind,
            "version": version,
            "about": dict(about or {}),
            "arrays": places,
            "size": end,
            "sha256": digest.hexdigest(),
        },
        sort_keys=True,
    ).encode()
    header += b" " * (_aligned(_PREAMBLE.size + len(header)) - _PREAMBLE.size - len(header))
    try:
        with written_whole(path) as file:
            file.write(_PREAMBLE.pack(_MAGIC, len(header), zlib.crc32(header)) + header)
            for piece in _pieces(stored):
                file.write(piece)
    except OSError as error:
        raise DatabaseFileError(
            f"{path}: cannot be written ({error}); {FOLDER_VARIABLE} names another folder"
        ) from None


def read_database(path: Path, kind: str, version: int, *, built_by: str, check: bool = True) -> Database:
    """Open a database file and map its arrays into memory.

    Parameters
    ----------
    path : Path
        The file.
    kind, version : str, int
        What it has to be.
    built_by : str
        The command that builds it, for messages: ``gammon-rl bearoff``.
    check : bool
        Whether to compare the checksum of the data, which reads all of it (some 3 ms a megabyte at most). Header and
        size are always checked.

    Raises
    ------
    DatabaseFileError
        If it is missing, damaged, cut off, of another version, or something else.
    """
    remedy = f"{built_by} builds it"
    try:
        with open(path, "rb") as file:
            header, start = _read_header(path, file, remedy)
            for key, wanted in (("format", FORMAT), ("kind", kind), ("version", version)):
                if header.get(key) != wanted:
                    raise DatabaseFileError(f"{path}: {key} {header.get(key)!r}, expected {wanted!r}; {remedy}")
            size, there = header["size"], os.fstat(file.fileno()).st_size - start
            if there != size:
                raise DatabaseFileError(f"{path}: damaged, {there} bytes of data, expected {size}; {remedy}")
            if check and _digest(file) != header["sha256"]:
                raise DatabaseFileError(f"{path}: damaged, its checksum is wrong; {remedy}")
            data = np.memmap(file, dtype=np.uint8, mode="r", offset=start, shape=(size,)) if size else np.empty(0, "u1")
            arrays = {one["name"]: _array(data, one) for one in header["arrays"]}
            return Database(arrays, header["about"], path)
    except FileNotFoundError:
        raise DatabaseFileError(f"{path}: no such database; {remedy}") from None
    except OSError as error:
        raise DatabaseFileError(f"{path}: cannot be read ({error})") from None
    except (KeyError, TypeError, ValueError) as error:
        raise DatabaseFileError(f"{path}: damaged, its header makes no sense ({error}); {remedy}") from None


def _read_header(path: Path, file: BinaryIO, remedy: str) -> tuple[dict[str, Any], int]:
    """Return the header and where the data begin."""
    preamble = file.read(_PREAMBLE.size)
    if len(preamble) < _PREAMBLE.size or not preamble.startswith(_MAGIC):
        raise DatabaseFileError(f"{path}: not a database of gammon_rl, expected it to begin with {_MAGIC.decode()}")
    _, length, crc = _PREAMBLE.unpack(preamble)
    text = file.read(min(length, _LONGEST_HEADER))
    if len(text) != length or zlib.crc32(text) != crc:
        raise DatabaseFileError(f"{path}: damaged, its header is cut off or changed; {remedy}")
    header = json.loads(text)
    if not isinstance(header, dict):
        raise DatabaseFileError(f"{path}: its header is {type(header).__name__}, expected a JSON object")
    return header, _PREAMBLE.size + length


def _array(data: NDArray[np.uint8], about: Mapping[str, Any]) -> NDArray[Any]:
    """Return one array as a read-only view of the data."""
    kind, shape, place = np.dtype(about["type"]), tuple(about["shape"]), about["place"]
    size = math.prod(shape) * kind.itemsize
    part = data[place : place + size].view(np.ndarray)
    if kind.hasobject or len(part) != size:
        raise ValueError(f"array {about['name']} does not fit")
    array: NDArray[Any] = part.view(kind).reshape(shape)
    return array


def _pieces(arrays: Mapping[str, NDArray[Any]]) -> Iterator[memoryview | bytes]:
    """Yield the data as they stand in the file: the arrays, each moved up to its place."""
    end = 0
    for one in arrays.values():
        yield bytes(_aligned(end) - end)
        yield one.reshape(-1).view(np.uint8).data
        end = _aligned(end) + one.nbytes


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


def _digest(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()
