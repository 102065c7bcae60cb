"""MNIST's IDX files to one safetensors file with numpy, the job of `crossbind dataset get mnist`.

usage: mnist_numpy.py DIRECTORY OUTPUT [--durable]

Prints the seconds from the first read to the last write; starting Python and importing numpy are
not counted. With --durable it also does the rest of what `get` does: SHA-256 of the sources and of
the result, a temporary name until the file is complete, and a flush to disk.
"""

import hashlib
import json
import os
import struct
import sys
import time

import numpy as np

FILES = {
    "train.label": "train-labels-idx1-ubyte",
    "test.label": "t10k-labels-idx1-ubyte",
    "train.image": "train-images-idx3-ubyte",
    "test.image": "t10k-images-idx3-ubyte",
}


def read_idx(path, sources):
    with open(path, "rb") as file:
        content = file.read()
    if sources is not None:
        sources.update(content)
    magic = struct.unpack(">I", content[:4])[0]
    rank = magic & 0xFF
    shape = struct.unpack(f">{rank}I", content[4 : 4 + 4 * rank])
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * rank).reshape(shape)


def convert(directory, durable):
    sources = hashlib.sha256() if durable else None
    tensors = {}
    for name, file in FILES.items():
        values = read_idx(os.path.join(directory, file), sources)
        if name.endswith("label"):
            tensors[name] = values.astype(np.int64)
        else:
            scaled = values.astype(np.float32)
            scaled /= np.float32(255)
            tensors[name] = scaled.reshape(len(scaled), 1, 28, 28)
    return tensors


def write(tensors, output, durable):
    header = {}
    offset = 0
    for name, values in tensors.items():
        dtype = "I64" if values.dtype == np.int64 else "F32"
        header[name] = {
            "dtype": dtype,
            "shape": list(values.shape),
            "data_offsets": [offset, offset + values.nbytes],
        }
        offset += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    parts = [struct.pack("<Q", len(text)), text, *(memoryview(v).cast("B") for v in tensors.values())]
    target = output + ".part" if durable else output
    digest = hashlib.sha256()
    with open(target, "wb") as file:
        for part in parts:
            file.write(part)
            if durable:
                digest.update(part)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    if durable:
        os.rename(target, output)


def main():
    directory, output = sys.argv[1:3]
    durable = "--durable" in sys.argv[3:]
    begin = time.perf_counter()
    write(convert(directory, durable), output, durable)
    print(f"{time.perf_counter() - begin:.6f}")


if __name__ == "__main__":
    main()
