"""The variant graph of a worker: what is recorded comes to what the steps come to. Needs a GPU for all but
the refusals."""

from pathlib import Path
from typing import Any

import numpy as np

from crossbind_worker.safetensors import read_safetensors
from crossbind_worker.testing import Message

from .cases import WorkerCase

OPTIMIZERS: tuple[Message, ...] = (
    {"type": "sgd", "rate": 0.05, "momentum": 0.0},
    {"type": "sgd", "rate": 0.05, "momentum": 0.9},
    {"type": "adam", "rate": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "epsilon_form": "outside"},
)
DECAYS: tuple[Message, ...] = (
    {"value": 0.0, "form": "coupled", "applies_to": "all"},
    {"value": 0.01, "form": "coupled", "applies_to": "weights"},
)


class GraphCase(WorkerCase):
    def gpu(self, model: str, **settings: Any) -> Message:
        """A job with whole batches and a partial one."""
        job = self.job(model, **{"device": "cuda", "epochs": 3, **settings})
        reply = self.prepare(job)
        if reply.get("feature") == "device cuda":
            self.skipTest("there is no GPU")
        self.assertEqual(reply["type"], "done", reply)
        return job

    def parameters(self, job: Message) -> dict[str, np.ndarray]:
        self.trained(job)
        return {k: v.copy() for k, v in read_safetensors(self.path / "trained.safetensors").items()}

    def assert_same(self, model: str, optimizer: Message, **settings: Any) -> None:
        jobs = [self.gpu(model, variant=variant, **settings) for variant in ("step", "graph")]
        for job in jobs:
            job["graph"]["optimizer"] = optimizer
        steps, graph = map(self.parameters, jobs)
        start = read_safetensors(Path(jobs[0]["weights"]))
        for name, values in steps.items():
            moved = np.abs(values - start[name]).max()
            # The updates are other kernels, and sums of atomic additions come in any order: 18 steps of
            # rounding stay far below a hundredth of the way that the parameter went; a wrong step does not.
            np.testing.assert_allclose(
                graph[name],
                values,
                rtol=1e-4,
                atol=1e-2 * moved + 1e-7,
                err_msg=f"{model} {optimizer} {name}",
            )

    def test_a_graph_comes_to_the_parameters_of_its_steps(self) -> None:
        for model in ("lenet1", "lenet5"):
            for optimizer in OPTIMIZERS:
                for decay in DECAYS:
                    self.assert_same(model, {**optimizer, "weight_decay": decay})

    def test_running_statistics_and_recurrent_layers_are_recorded_too(self) -> None:
        # Batch norm of few samples makes much of a rounding: at the rate of the others, two trainings by
        # steps part as far as this after 18 of them.
        slow = {**OPTIMIZERS[0], "rate": 0.001}
        for model in ("resnet20", "lstm"):
            self.assert_same(model, {**slow, "weight_decay": DECAYS[0]}, epochs=1)

    def test_losses_and_accuracies_are_those_of_the_steps(self) -> None:
        for accuracy in ("running", "eval"):
            told = [
                self.epochs(self.gpu("lenet5", variant=variant, training_accuracy=accuracy))
                for variant in ("step", "graph")
            ]
            for step, graph in zip(*told, strict=True):
                np.testing.assert_allclose(graph["loss"], step["loss"], rtol=1e-4)
                # One sample of 44 may be on the edge.
                self.assertAlmostEqual(graph["train_accuracy"], step["train_accuracy"], delta=1.01 / 44)

    def test_recording_and_warming_up_leave_no_trace(self) -> None:
        cold = self.trained(self.gpu("lenet5", variant="graph"))[0]
        warm = self.trained(self.gpu("lenet5", variant="graph", warmup_steps=4))[0]
        np.testing.assert_allclose(warm, cold, rtol=1e-5)
        events, reply = self.harness.ask("train")  # a second one, with what was recorded
        self.assertEqual(reply["type"], "done", reply)
        again = [event["loss"] for event in events if event["type"] == "epoch"]
        np.testing.assert_allclose(again, cold, rtol=1e-5)

    def test_the_batches_are_those_of_the_order(self) -> None:
        seen = []
        for variant in ("step", "graph"):
            self.gpu("lenet5", variant=variant)
            events = self.harness.ask("train", evidence=-1)[0]
            seen.append([{**event, "id": 0} for event in events if event["type"] == "batch"])
        self.assertEqual(len(seen[0]), 18)
        self.assertEqual(*seen)

    def test_what_has_no_graph_is_unsupported_by_name(self) -> None:
        refused: tuple[tuple[Message, str], ...] = (
            ({"device": "cpu"}, "variant graph on device cpu"),
            ({"device": "cuda", "loader": "idiomatic"}, "variant graph with loader idiomatic"),
            ({"device": "cuda", "measure": "parts"}, "measure parts of variant graph"),
        )
        for settings, feature in refused:
            self.assert_unsupported(self.prepare(self.job(variant="graph", **settings)), feature)
