"""Writes the SavedModels of the tests into a folder: `python models.py FOLDER`."""

import sys
from pathlib import Path

import tensorflow as tf


def write(path: Path, rows: int, names: tuple[str, ...] = ("parameters", "serving_default")) -> None:
    """Output i is the sum of the rows that the tokens stand for, times i."""
    module = tf.Module()
    module.table = tf.Variable(tf.reshape(tf.range(rows * 3.0), [rows, 3]))

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.int64, name="tokens")])
    def predict(tokens: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"outputs": tf.reduce_sum(tf.gather(module.table, tokens), 1)}

    @tf.function(input_signature=[])
    def parameters() -> dict[str, tf.Tensor]:
        return {"table.weight": module.table.read_value()}

    signatures = {"parameters": parameters, "serving_default": predict}
    tf.saved_model.save(module, str(path), signatures={name: signatures[name] for name in names})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write(folder / "tokens", 10)
    write(folder / "longer", 11)
    write(folder / "bare", 10, ("serving_default",))
