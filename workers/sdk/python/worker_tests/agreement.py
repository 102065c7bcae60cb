"""One training step and one evaluation of every model, side by side with the referee, which is in float64.

The referee goes its own way from the same state, so differences grow from layer to layer: a sum of K terms is
off by about sqrt(K) roundings of 6e-8 each (K is up to 4608 here), and a batch norm over 8 numbers magnifies
what was off before it. What a wrong convention makes (another variance, another gate order) is above 1e-2.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from crossbind_worker.testing import Harness, Message

from . import jobs
from .cases import WorkerCase
from .subject import ROOT, referee, weights

TOLERANCE = 3e-5

Tensors = dict[str, np.ndarray]


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


class AgreementCase(WorkerCase):
    wider: ClassVar[Mapping[str, float]] = {}  # models with another tolerance
    without: ClassVar[Sequence[str]] = ()  # models that the binding has not
    referee: ClassVar[Harness]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.referee = cls.enterClassContext(referee())

    @classmethod
    def models(cls) -> list[str]:
        ready = {path.stem for path in (ROOT / "models").glob("*.toml")} - {*cls.without}
        return [*sorted(ready), *map(cls.subject.file, ("images.toml", "sequence.toml"))]

    def prepare_both(self, graph: Message, parameters: Path) -> None:
        for harness in (self.harness, self.referee):
            reply = harness.ask("prepare", **jobs.job(harness.path, graph, parameters))[1]
            self.assertEqual(reply["type"], "done", reply)

    def both(self, graph: Message, parameters: Path, mode: str) -> tuple[Tensors, Tensors]:
        """The tensors of both, for the first batch that opens the same ReLUs."""
        for seed in range(7, 15):
            results = [
                jobs.probe(each, graph, parameters, mode, seed) for each in (self.harness, self.referee)
            ]
            (our_reply, ours), (their_reply, theirs) = results
            if mode == "eval" or opens_the_same(graph, ours, theirs):
                self.assertEqual(our_reply["missing"], [])
                self.assertAlmostEqual(our_reply["loss"] / their_reply["loss"], 1, delta=TOLERANCE)
                return ours, theirs
        raise AssertionError("no batch opens the same ReLUs")

    def check(self, graph: Message, ours: Tensors, theirs: Tensors) -> None:
        self.assertEqual(ours.keys(), theirs.keys())
        size = {name: float(np.abs(values).max()) for name, values in theirs.items() if name.endswith(".out")}
        for suffix in ("", ".grad", ".state.m", ".state.v"):
            size |= scales(graph, theirs, suffix)
        self.assertEqual(size.keys(), theirs.keys())
        tolerance = self.wider.get(graph["id"], TOLERANCE)
        for name, values in theirs.items():
            difference = float(np.abs(ours[name].astype(float) - values).max())
            self.assertLessEqual(difference, tolerance * size[name], name)

    def test_every_layer_gradient_and_update_is_what_the_referee_computes(self) -> None:
        for model in self.models():
            graph, parameters = self.subject.graph(model), weights(model)
            self.prepare_both(graph, parameters)
            for mode in ("train", "eval"):
                with self.subTest(model=graph["id"], mode=mode):
                    self.check(graph, *self.both(graph, parameters, mode))

    def test_counts_what_the_graph_has(self) -> None:
        job = self.job("lstm", train=0, test=0)
        shapes = [parameter["shape"] for node in job["graph"]["nodes"] for parameter in node["parameters"]]
        expected = sum(int(np.prod(shape)) for shape in shapes)
        self.assertEqual(self.prepared(job)["parameters"], expected)
