"""check.py PREFIX: fails unless the prefix holds this environment's library and headers, and Keras trains."""

import ctypes
import os
import sys
from importlib.metadata import version
from pathlib import Path


def check_prefix(prefix: Path, release: str) -> None:
    """The C API is split: the version is in one library, a status in the other."""
    for name, function in (
        ("tensorflow", "TF_Version"),
        ("tensorflow_cc", "TF_Version"),
        ("tensorflow_framework", "TF_NewStatus"),
    ):
        for suffix in ("so", "so.2", f"so.{release}"):
            getattr(ctypes.CDLL(str(prefix / "lib" / f"lib{name}.{suffix}")), function)
    library = ctypes.CDLL(str(prefix / "lib" / "libtensorflow.so"))
    library.TF_Version.restype = ctypes.c_char_p
    if (found := library.TF_Version().decode()) != release:
        sys.exit(f"{prefix}: the library is version {found}, Python's {release}")
    for header in ("tensorflow/c/c_api.h", "tensorflow/cc/client/client_session.h"):
        if not (prefix / "include" / header).is_file():
            sys.exit(f"{prefix}: there is no {header}")
    if f"Version: {release}\n" not in (prefix / "lib" / "pkgconfig" / "tensorflow.pc").read_text():
        sys.exit(f"{prefix}: tensorflow.pc is of another version")


def train_a_little() -> None:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    import keras
    import numpy as np

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((1, 2)), np.ones((1, 1)), verbose=0)


# Before anything imports TensorFlow: what has been loaded would stand in for what the prefix lacks.
check_prefix(Path(sys.argv[1]), version("tensorflow-cpu"))
train_a_little()
