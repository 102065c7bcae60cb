"""The worker as crossbind runs it."""

import sys
import unittest
from pathlib import Path
from typing import Any

import context
import numpy as np

from crossbind_worker.safetensors import read_safetensors, write_safetensors
from crossbind_worker.testing import Harness, Message, write_job
from layers import LAYERS
from losses import LOSSES
from optimizers import UPDATES

COMMAND = (sys.executable, str(context.FOLDER / "worker.py"))
ADAM = {
    "type": "adam", "rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "epsilon_form": "outside",
    "weight_decay": {"value": 0.01, "form": "decoupled", "applies_to": "weights"},
}  # fmt: skip


class WorkerTest(unittest.TestCase):
    def harness(self, **environment: str) -> Harness:
        environment = {"PYTHONPATH": str(context.SDK), "OMP_NUM_THREADS": "1", **environment}
        return self.enterContext(Harness(COMMAND, environment))

    def prepared(self, changes: Message | None = None, **settings: Any) -> tuple[Harness, Message]:
        harness = self.harness()
        job = write_job(harness.path, {**context.lenet5(), **(changes or {})}, train=44, test=12, **settings)
        reply = harness.ask("prepare", **job)[1]
        self.assertEqual(reply, {"type": "done", "id": 1, "parameters": 61706, "effective": {}})
        return harness, job

    def trained(self, changes: Message | None = None, **settings: Any) -> bytes:
        harness, _ = self.prepared(changes, **settings)
        path = harness.path / "trained.safetensors"
        self.assertEqual(harness.ask("train", save=str(path))[1]["type"], "done")
        return path.read_bytes()

    def test_the_manifest_lists_what_is_there(self) -> None:
        capabilities = self.harness().hello["capabilities"]
        self.assertEqual(set(capabilities["layers"]), set(LAYERS))
        self.assertEqual(set(capabilities["losses"]), set(LOSSES))
        self.assertEqual(set(capabilities["optimizers"]), set(UPDATES))
        self.assertEqual(capabilities["conventions"], {})

    def test_learns_probes_infers_and_leaves(self) -> None:
        harness, job = self.prepared(epochs=4, batch_size=4)
        saved = harness.path / "trained.safetensors"
        events, reply = harness.ask("train", save=str(saved), evidence=1)
        self.assertEqual(reply["steps"], 44)
        losses = [event["loss"] for event in events if event["type"] == "epoch"]
        self.assertLess(losses[-1], losses[0])
        trained = read_safetensors(saved)
        weights = read_safetensors(Path(job["weights"]))
        self.assertEqual({name: each.shape for name, each in trained.items()},
                         {name: each.shape for name, each in weights.items()})  # fmt: skip
        outputs = harness.path / "outputs.safetensors"
        reply = harness.ask("infer", outputs=str(outputs))[1]
        last = [event for event in events if event["type"] == "epoch"][-1]
        self.assertEqual(reply["accuracy"], last["test_accuracy"])
        self.assertEqual(read_safetensors(outputs)["outputs"].shape, (12, 10))
        self.assertEqual(harness.bye(), 0)

    def test_training_twice_gives_the_same_bytes_with_either_loader_and_measure(self) -> None:
        results = {
            self.trained(),
            self.trained(),
            self.trained(loader="idiomatic"),
            self.trained(measure="parts"),
            self.trained(warmup_steps=3),
        }
        self.assertEqual(len(results), 1)

    def test_warm_up_leaves_no_trace_in_the_moments_of_adam(self) -> None:
        changes = {"optimizer": ADAM}
        self.assertEqual(self.trained(changes), self.trained(changes, warmup_steps=3))

    def test_a_probe_shows_the_whole_step(self) -> None:
        harness, job = self.prepared({"optimizer": ADAM})
        weights = read_safetensors(Path(job["weights"]))
        moments = {f"{name}.state.{m}": np.full_like(w, 0.01) for name, w in weights.items() for m in "mv"}
        data = read_safetensors(Path(job["data"]["path"]))
        state, batch = harness.path / "state", harness.path / "batch"
        write_safetensors(state, {**weights, **moments})
        write_safetensors(batch, {"image": data["train.image"][:8], "label": data["train.label"][:8]})
        layers = [f"{node['name']}.out" for node in job["graph"]["nodes"]]
        wanted = [*layers, *weights, *(f"{name}.grad" for name in weights), *moments]
        members = {"batch": str(batch), "state": str(state), "directory": str(harness.path)}
        replies = [
            harness.ask("probe", mode="train", step=3, wanted=[*wanted, "no.out"], **members)[1]
            for _ in range(2)
        ]
        self.assertEqual([reply["missing"] for reply in replies], [["no.out"]] * 2)
        once, again = (Path(reply["tensors"]).read_bytes() for reply in replies)
        self.assertEqual(once, again)  # nothing of the first step remained
        found = read_safetensors(Path(replies[0]["tensors"]))
        self.assertEqual(found.keys(), set(wanted))
        for node in job["graph"]["nodes"]:
            self.assertEqual(found[f"{node['name']}.out"].shape, (8, *node["output"]))
        weight, gradient = weights["conv1.weight"].astype(float), found["conv1.weight.grad"].astype(float)
        m, v = 0.009 + 0.1 * gradient, 0.00999 + 0.001 * gradient**2
        step = m / (1 - 0.9**3) / (np.sqrt(v / (1 - 0.999**3)) + 1e-8) + 0.01 * weight
        np.testing.assert_allclose(found["conv1.weight.state.m"], m, rtol=1e-5, atol=1e-8)  # 0.009 rounds
        np.testing.assert_allclose(found["conv1.weight"], weight - 0.001 * step, rtol=1e-5, atol=1e-7)

        evaluated = harness.ask("probe", mode="eval", step=3, wanted=wanted, **members)[1]
        self.assertEqual(evaluated["missing"], [f"{name}.grad" for name in weights])
        self.assertEqual(evaluated["loss"], replies[0]["loss"])

    def test_queries_give_outputs_and_gradients_and_leave_no_trace(self) -> None:
        harness, job = self.prepared()
        data = read_safetensors(Path(job["data"]["path"]))
        batch, answer = harness.path / "query", harness.path / "answer"
        saved, outputs = harness.path / "trained", harness.path / "outputs"

        def query(size: int, **members: bool) -> dict[str, np.ndarray]:
            samples = {name: data[f"test.{name}"][:size] for name in ("image", "label")}
            write_safetensors(batch, samples)
            reply = harness.ask("query", batch=str(batch), answer=str(answer), **members)[1]
            self.assertEqual(reply["type"], "done", reply)
            return {name: values.copy() for name, values in read_safetensors(answer).items()}

        harness.ask("infer", outputs=str(outputs))
        expected = read_safetensors(outputs)["outputs"]
        for size in (12, 1, 5):
            # In batches of 8 and 4 there: BLAS may sum up the products in another order.
            np.testing.assert_allclose(query(size)["outputs"], expected[:size], rtol=1e-5, atol=1e-6)
        whole = query(12, gradients=True)["image.grad"]
        self.assertEqual(whole.shape, (12, 1, 28, 28))
        first = query(1, gradients=True)["image.grad"]  # a sum over samples: the others change nothing
        np.testing.assert_allclose(whole[:1], first, rtol=1e-4, atol=1e-6)
        harness.ask("train", save=str(saved))
        self.assertEqual(saved.read_bytes(), self.trained())

    def test_the_test_loss_is_that_of_the_outputs(self) -> None:
        harness, job = self.prepared()
        events = harness.ask("train")[0]
        told = [event["test_loss"] for event in events if event["type"] == "epoch"]
        path = harness.path / "outputs.safetensors"
        harness.ask("infer", outputs=str(path))
        outputs = read_safetensors(path)["outputs"].astype(float)
        loss, _ = LOSSES["cross_entropy"](
            outputs, {"label": read_safetensors(Path(job["data"]["path"]))["test.label"]}
        )
        self.assertAlmostEqual(told[-1], float(loss), places=12)

    def test_layers_that_are_not_there_are_unsupported_by_name(self) -> None:
        harness, job = self.prepared()
        graph = context.lenet5()
        graph["nodes"][2]["type"] = "gelu"
        reply = harness.ask("prepare", **{**job, "graph": graph})[1]
        self.assertEqual(reply, {"type": "unsupported", "id": 2, "feature": "layer gelu"})
        self.assertEqual(harness.ask("prepare", **job)[1]["type"], "done")

    def test_a_file_that_vanished_is_named(self) -> None:
        harness, job = self.prepared()
        Path(job["data"]["path"]).unlink()
        reply = harness.ask("prepare", **job)[1]
        self.assertEqual((reply["type"], reply["code"]), ("failed", "bad_input"))
        self.assertIn(job["data"]["path"], reply["message"])

    def test_weights_that_are_not_finite_fail_as_such(self) -> None:
        harness, job = self.prepared()
        weights = {name: each.copy() for name, each in read_safetensors(Path(job["weights"])).items()}
        weights["conv2.weight"][0, 0, 0, 0] = np.nan
        write_safetensors(Path(job["weights"]), weights)
        self.assertEqual(harness.ask("prepare", **job)[1]["type"], "done")
        self.assertEqual(harness.ask("train")[1]["code"], "not_finite")
        self.assertEqual(harness.ask("infer")[1]["code"], "not_finite")

    def test_training_is_cancelled_between_two_batches(self) -> None:
        harness, _ = self.prepared(epochs=2000)
        request = harness.start("train", evidence=1)
        while harness.receive()["type"] != "batch":
            pass
        harness.send({"type": "cancel", "id": request})
        self.assertEqual(harness.finish(request)[1]["code"], "cancelled")
        self.assertEqual(harness.ask("infer")[1]["type"], "done")

    def test_says_how_many_threads_it_really_has(self) -> None:
        for environment, effective in (
            ({"OMP_NUM_THREADS": "2"}, {"threads": 2}),
            ({"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}, {}),
        ):
            harness = self.harness(**{"OPENBLAS_NUM_THREADS": "", **environment})
            job = write_job(harness.path, context.lenet5(), train=8, test=8)
            self.assertEqual(harness.ask("prepare", **job)[1]["effective"], effective)


if __name__ == "__main__":
    unittest.main()
