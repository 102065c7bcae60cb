"""The safetensors format: 8 bytes little-endian header length, a JSON header that gives each tensor's type,
shape and byte range, then the data. Reading maps the file and copies nothing; it accepts exactly what the
format allows, of the types that NumPy has."""

import json
import math
import mmap
import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .errors import bad_input

LARGEST_HEADER = 100_000_000
DTYPES = {
    name: np.dtype(code)
    for name, code in {
        "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
        "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
    }.items()
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("the header has a key twice")
    return members


def _naturals(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def _parse(content: mmap.mmap) -> dict[str, np.ndarray]:
    if len(content) < 8:
        raise ValueError(f"too short for a safetensors file ({len(content)} bytes)")
    length = int.from_bytes(content[:8], "little")
    if length > min(LARGEST_HEADER, len(content) - 8):
        raise ValueError(f"the header claims {length} bytes")
    header = json.loads(content[8 : 8 + length].decode(), object_pairs_hook=_distinct)
    if not isinstance(header, dict):
        raise ValueError("the header is not a JSON object")
    header.pop("__metadata__", None)
    tensors, ranges = {}, []
    for name, entry in header.items():
        if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"tensor '{name}' needs exactly dtype, shape and data_offsets")
        dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise ValueError(f"tensor '{name}' has the type {dtype}")
        if not (_naturals(shape) and len(shape) <= 64 and _naturals(offsets) and len(offsets) == 2):
            raise ValueError(f"the shape or data_offsets of tensor '{name}' are not natural numbers")
        begin, end = offsets
        count = math.prod(shape)
        if end - begin != count * DTYPES[dtype].itemsize or 8 + length + end > len(content):
            raise ValueError(f"the bytes of tensor '{name}' do not fit its shape or the file")
        ranges.append((begin, end))
        flat = np.frombuffer(content, DTYPES[dtype], count, 8 + length + begin if count else 0)
        tensors[name] = flat.reshape(shape)
    bounds = list(chain.from_iterable(sorted(ranges)))
    if [0, *bounds[1::2]] != [*bounds[::2], len(content) - 8 - length]:
        raise ValueError("the tensors overlap or leave bytes that belong to none")
    return tensors


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """All tensors of a file, as read-only views of its memory map."""
    try:
        with path.open("rb") as file:
            return _parse(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError, RecursionError) as error:  # an empty file cannot be mapped: ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise bad_input(f"{path}: {reason}") from error


def write_safetensors(path: Path, tensors: Mapping[str, np.ndarray]) -> None:
    """The file appears whole or not at all."""
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))  # stays aligned
    header, offset = {}, 0
    for name, tensor in ordered:
        end = offset + tensor.nbytes
        dtype = NAMES[tensor.dtype.newbyteorder("<")]
        header[name] = {"dtype": dtype, "shape": tensor.shape, "data_offsets": (offset, end)}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for _, tensor in ordered:
                little = tensor.astype(tensor.dtype.newbyteorder("<"), copy=False)
                file.write(np.ascontiguousarray(little).data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
