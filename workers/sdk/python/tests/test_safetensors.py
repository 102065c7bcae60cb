import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from crossbind_worker.errors import Failed
from crossbind_worker.safetensors import DTYPES, read_safetensors, write_safetensors


class SafetensorsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "file.safetensors"

    def write(self, header: Any, data: bytes = b"", length: int | None = None) -> None:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        self.path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)

    def refused(self, part: str) -> None:
        with self.assertRaisesRegex(Failed, part) as caught:
            read_safetensors(self.path)
        self.assertEqual(caught.exception.code, "bad_input")
        self.assertIn(str(self.path), str(caught.exception))

    def test_gives_back_every_type_and_shape(self) -> None:
        tensors = {
            f"{name} {shape}": (np.arange(np.prod(shape, dtype=int)) % 2).astype(dtype).reshape(shape)
            for name, dtype in DTYPES.items()
            for shape in ((), (0,), (3,), (2, 0, 3), (2, 3, 4))
        }
        write_safetensors(self.path, tensors)
        read = read_safetensors(self.path)
        self.assertEqual(read.keys(), tensors.keys())
        for name, tensor in tensors.items():
            self.assertEqual(read[name].dtype, tensor.dtype)
            np.testing.assert_array_equal(read[name], tensor, strict=True)
            self.assertFalse(read[name].flags.writeable)

    def test_writes_what_is_not_contiguous_or_big_endian_in_its_own_order(self) -> None:
        tensor = np.arange(6, dtype=">i4").reshape(2, 3).T
        write_safetensors(self.path, {"t": tensor})
        np.testing.assert_array_equal(read_safetensors(self.path)["t"], tensor)

    def test_a_file_without_tensors_is_empty(self) -> None:
        write_safetensors(self.path, {})
        self.assertEqual(read_safetensors(self.path), {})

    def test_metadata_are_not_tensors(self) -> None:
        self.write({"__metadata__": {"name": "x"}, "t": entry("U8", [2], 0, 2)}, b"ab")
        self.assertEqual(list(read_safetensors(self.path)), ["t"])

    def test_a_failed_write_leaves_what_was_there(self) -> None:
        write_safetensors(self.path, {"t": np.zeros(2)})
        with self.assertRaises(KeyError):
            write_safetensors(self.path, {"t": np.zeros(2, np.complex64)})
        self.assertEqual(list(read_safetensors(self.path)), ["t"])
        self.assertEqual(len(list(self.path.parent.iterdir())), 1)

    def test_refuses_a_file_that_is_not_there(self) -> None:
        self.refused("No such file")

    def test_refuses_files_that_are_too_short(self) -> None:
        for content, part in ((b"", "empty"), (b"1234567", "too short")):
            self.path.write_bytes(content)
            self.refused(part)

    def test_refuses_headers_longer_than_the_file(self) -> None:
        for length in (3, 2**32, 2**64 - 1):
            self.write(b"{}", length=length)
            self.refused("claims")

    def test_refuses_headers_that_are_not_objects(self) -> None:
        for header in (b"[]", b"1", b"{", b"\xff\xfe", b'{"a": ' + b"[" * 100_000):
            self.write(header)
            self.refused("")

    def test_refuses_a_name_that_is_there_twice(self) -> None:
        tensor = json.dumps(entry("U8", [1], 0, 1))
        self.write(f'{{"t": {tensor}, "t": {tensor}}}'.encode(), b"a")
        self.refused("twice")

    def test_refuses_entries_that_make_no_sense(self) -> None:
        for broken in (
            7,
            {"dtype": "U8", "shape": [4]},
            entry("U8", [4], 0, 4) | {"more": 1},
            entry("Q7", [4], 0, 4),
            entry("U8", [-4], 0, 4),
            entry("U8", [4.0], 0, 4),
            entry("U8", [True, 4], 0, 4),
            entry("U8", 4, 0, 4),
            entry("U8", [4], 4, 0),
            entry("U8", [5], 0, 5),
            entry("F32", [2], 0, 4),
            entry("U8", [2**40, 2**40], 0, 4),
            entry("U8", [1] * 65, 0, 1),
        ):
            self.write({"t": broken}, b"abcd")
            self.refused("tensor 't'")

    def test_refuses_gaps_overlaps_and_rests(self) -> None:
        for first, second in (((0, 2), (3, 4)), ((0, 3), (2, 4)), ((0, 2), (2, 3)), ((1, 2), (2, 4))):
            header = {
                "a": entry("U8", [first[1] - first[0]], *first),
                "b": entry("U8", [second[1] - second[0]], *second),
            }
            self.write(header, b"abcd")
            self.refused("overlap or leave")


def entry(dtype: str, shape: Any, begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


if __name__ == "__main__":
    unittest.main()
