"""One training step and one evaluation of every model, side by side with the referee, which is in float64.

The referee goes its own way from the same state, so differences grow from layer to layer: a sum of K terms is
off by about sqrt(K) roundings of 6e-8 each (K is up to 4608 here), and a batch norm over 8 numbers magnifies
what was off before it; that of Keras also takes the difference of two products. The largest difference seen
is 1.3e-5, and 6e-5 in resnet20 and vgg16-bn-all, which have the most batch norms; what a wrong convention
makes (another variance, another gate order) is above 1e-2.
"""

import itertools
import unittest
from pathlib import Path

import context
import jobs
import keras
import numpy as np
import tensorflow as tf

from crossbind_worker.testing import Harness, Message

TOLERANCE = 3e-5
WIDER = dict.fromkeys(("resnet20", "vgg16-bn-all"), 3e-4)

Tensors = dict[str, np.ndarray]


def models() -> list[str]:
    ready = sorted(path.stem for path in (context.ROOT / "models").glob("*.toml"))
    return [*ready, *(str(context.FOLDER / "tests" / name) for name in ("images.toml", "sequence.toml"))]


def scales(graph: Message, tensors: Tensors, suffix: str) -> dict[str, float]:
    """For each tensor of a layer the largest number in all of the layer's: the gradient of a bias before a
    batch norm is 0, and float32 leaves of it what the gradient of the weights rounds to."""
    result: dict[str, float] = {}
    for node in graph["nodes"]:
        names = [name for p in node["parameters"] if (name := f"{p['name']}{suffix}") in tensors]
        largest = max((float(np.abs(tensors[name]).max()) for name in names), default=0.0)
        result |= dict.fromkeys(names, largest)
    return result


def opens_the_same(graph: Message, ours: Tensors, theirs: Tensors) -> bool:
    """Whether no ReLU that stands within a rounding of 0 is open in one and shut in the other: from there on,
    their gradients are of different functions."""
    relus = [f"{node['name']}.out" for node in graph["nodes"] if node["type"] == "relu"]
    return all(((ours[name] > 0) == (theirs[name] > 0)).all() for name in relus)


class AgreementTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        context.graph("lenet5")  # skips where crossbind is not built
        cls.ours = cls.enterClassContext(jobs.harness())
        cls.referee = cls.enterClassContext(jobs.harness(str(context.REFEREE)))

    ours: Harness
    referee: Harness

    def both(self, graph: Message, weights: Path, mode: str) -> tuple[Tensors, Tensors]:
        """The tensors of both, for the first batch that opens the same ReLUs."""
        for seed in range(7, 15):
            results = [jobs.probe(each, graph, weights, mode, seed) for each in (self.ours, self.referee)]
            (our_reply, ours), (their_reply, theirs) = results
            if mode == "eval" or opens_the_same(graph, ours, theirs):
                self.assertEqual(our_reply["missing"], [])
                self.assertAlmostEqual(our_reply["loss"] / their_reply["loss"], 1, delta=TOLERANCE)
                return ours, theirs
        raise AssertionError("no batch opens the same ReLUs")

    def check(self, graph: Message, tolerance: float, ours: Tensors, theirs: Tensors) -> None:
        self.assertEqual(ours.keys(), theirs.keys())
        size = {name: float(np.abs(values).max()) for name, values in theirs.items() if name.endswith(".out")}
        for suffix in ("", ".grad", ".state.m", ".state.v"):
            size |= scales(graph, theirs, suffix)
        self.assertEqual(size.keys(), theirs.keys())
        for name, values in theirs.items():
            difference = float(np.abs(ours[name].astype(float) - values).max())
            self.assertLessEqual(difference, tolerance * size[name], name)

    def test_every_layer_gradient_and_update_is_what_the_referee_computes(self) -> None:
        for model in models():
            conform = not model.endswith(".toml")
            graph, weights = context.graph(model, conform=conform), context.weights(model, conform=conform)
            for harness in (self.ours, self.referee):
                reply = harness.ask("prepare", **jobs.job(harness.path, graph, weights))[1]
                self.assertEqual(reply["type"], "done", reply)
            for mode in ("train", "eval"):
                with self.subTest(model=graph["id"], mode=mode):
                    tolerance = WIDER.get(graph["id"], TOLERANCE)
                    self.check(graph, tolerance, *self.both(graph, weights, mode))

    def test_decay_has_either_form_in_either_optimizer(self) -> None:
        sgd = {"type": "sgd", "rate": 0.1, "momentum": 0.9}
        adam = {
            "type": "adam",
            "rate": 0.1,
            "beta1": 0.9,
            "beta2": 0.999,
            "epsilon": 1e-3,
            "epsilon_form": "hat",
        }
        weights = context.weights("lenet1")
        for optimizer, form, applies_to in itertools.product(
            (sgd, adam), ("coupled", "decoupled"), ("all", "weights")
        ):
            graph = context.graph("lenet1")
            graph["optimizer"] = optimizer | {
                "weight_decay": {"value": 0.1, "form": form, "applies_to": applies_to}
            }
            for harness in (self.ours, self.referee):
                reply = harness.ask("prepare", **jobs.job(harness.path, graph, weights))[1]
                self.assertEqual(reply["type"], "done", reply)
            with self.subTest(optimizer=optimizer["type"], form=form, applies_to=applies_to):
                self.check(graph, TOLERANCE, *self.both(graph, weights, "train"))

    def test_keras_squares_rows_of_a_gradient_before_it_adds_them_up(self) -> None:
        """Which is why the worker does it first; when this fails, it need not any more."""
        rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 0]), tf.constant([2, 1]))
        seconds = []
        for gradient in (rows, tf.convert_to_tensor(rows)):
            optimizer, variable = keras.optimizers.Adam(beta_2=0.0), keras.Variable([[0.0], [0.0]])
            optimizer.apply([gradient], [variable])
            seconds.append(float(optimizer._velocities[0][0, 0]))
        np.testing.assert_allclose(seconds, [1.0**2 + 2.0**2, (1.0 + 2.0) ** 2])

    def test_counts_what_the_graph_has(self) -> None:
        graph, weights = context.graph("lstm"), context.weights("lstm")
        reply = self.ours.ask("prepare", **jobs.job(self.ours.path, graph, weights))[1]
        shapes = [parameter["shape"] for node in graph["nodes"] for parameter in node["parameters"]]
        self.assertEqual(reply["parameters"], sum(int(np.prod(shape)) for shape in shapes))


if __name__ == "__main__":
    unittest.main()
