import unittest
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from serving_case import GRAPH, ServingTest, write

from crossbind_worker.safetensors import read_safetensors
from crossbind_worker.testing import Harness, Message

INPUTS = np.random.default_rng(2).normal(size=(4, 5)).astype(np.float32)
LABELS = np.array([0, 2, 1, 1])


class QueryTest(ServingTest):
    claims: ClassVar[Message] = {"queries": "gradients"}

    def ask(self, harness: Harness, batch: str, **members: Any) -> dict[str, np.ndarray]:
        answer = harness.path / "answer.safetensors"
        reply = harness.ask("query", batch=batch, answer=str(answer), **members)[1]
        self.assertEqual((reply["type"], len(reply)), ("done", 2), reply)
        return read_safetensors(answer)

    def test_the_answer_holds_outputs_of_any_number_of_samples(self) -> None:
        harness, job = self.prepared()
        weight = read_safetensors(Path(job["weights"]))["fc.weight"]
        for size in (4, 1, 3):
            for targets in ({}, {"label": LABELS[:size]}):
                found = self.ask(harness, write(harness, x=INPUTS[:size], **targets))
                self.assertEqual(list(found), ["outputs"])
                expected = (INPUTS[:size] @ weight.T).astype(np.float32)
                np.testing.assert_allclose(found["outputs"], expected, rtol=1e-6, strict=True)

    def test_gradients_are_of_the_sum_over_the_samples(self) -> None:
        harness, job = self.prepared()
        weight = read_safetensors(Path(job["weights"]))["fc.weight"].astype(float)

        def lost(inputs: np.ndarray) -> float:
            outputs = inputs @ weight.T
            return float((np.log(np.exp(outputs).sum(axis=1)) - outputs[np.arange(4), LABELS]).sum())

        found = self.ask(harness, write(harness, x=INPUTS, label=LABELS), gradients=True)
        self.assertEqual(found.keys(), {"outputs", "x.grad"})
        self.assertEqual((found["x.grad"].shape, found["x.grad"].dtype), ((4, 5), np.float32))
        for place in np.ndindex(INPUTS.shape):
            nudge = np.zeros(INPUTS.shape)
            nudge[place] = 1e-6
            slope = (lost(INPUTS + nudge) - lost(INPUTS - nudge)) / 2e-6
            self.assertAlmostEqual(found["x.grad"][place], slope, places=5)

    def test_integers_have_no_gradient(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        ids = {"name": "ids", "type": "integer", "entries": 7, "shape": [2]}
        graph = {**GRAPH, "inputs": [*GRAPH["inputs"], ids]}
        del job["data"], job["order"]
        self.assertEqual(harness.ask("prepare", **{**job, "graph": graph})[1]["type"], "done")
        batch = write(harness, x=INPUTS, ids=np.zeros((4, 2), int), label=LABELS)
        self.assertEqual(self.ask(harness, batch, gradients=True).keys(), {"outputs", "x.grad"})

    def test_after_a_training_the_trained_parameters_answer(self) -> None:
        harness, _ = self.prepared()
        saved = harness.path / "trained.safetensors"
        self.assertEqual(harness.ask("train", save=str(saved))[1]["type"], "done")
        found = self.ask(harness, write(harness, x=INPUTS))["outputs"]
        np.testing.assert_allclose(found, INPUTS @ read_safetensors(saved)["fc.weight"].T, rtol=1e-6)

    def test_what_is_wrong_with_the_batch_is_bad_input_and_leaves_the_answer_before(self) -> None:
        harness, _ = self.prepared()
        batch = write(harness, x=INPUTS)
        before = self.ask(harness, batch)["outputs"].copy()
        answer = str(harness.path / "answer.safetensors")
        for wrong, members, part in (
            ("/nowhere", {}, "No such file"),
            (write(harness, y=INPUTS), {}, "no tensor 'x'"),
            (write(harness, x=INPUTS[:, :4]), {}, "(4, 4)"),
            (write(harness, x=INPUTS[:0]), {}, "one number of samples"),
            (write(harness, x=INPUTS, label=LABELS + 1), {}, "0 to 2"),
            (batch, {"gradients": True}, "label"),
        ):
            with self.subTest(part):
                reply = harness.ask("query", batch=wrong, answer=answer, **members)[1]
                self.assert_failed(reply, "bad_input", part)
        np.testing.assert_array_equal(read_safetensors(Path(answer))["outputs"], before)

    def test_outputs_that_are_not_finite_are_no_answer(self) -> None:
        harness, _ = self.prepared()
        answer = harness.path / "answer.safetensors"
        batch = write(harness, x=np.full((1, 5), np.nan, np.float32))
        reply = harness.ask("query", batch=batch, answer=str(answer))[1]
        self.assert_failed(reply, "not_finite", "output")
        self.assertFalse(answer.exists())

    def test_a_query_before_prepare_is_bad(self) -> None:
        reply = self.harness().ask("query", batch="/x", answer="/y")[1]
        self.assert_failed(reply, "bad_request", "before 'prepare'")

    def test_a_loss_is_only_missed_by_gradients(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        del job["data"], job["order"]
        graph = {**GRAPH, "loss": {"type": "binary_cross_entropy"}}
        self.assertEqual(harness.ask("prepare", **{**job, "graph": graph})[1]["type"], "done")
        batch, answer = write(harness, x=INPUTS, label=LABELS % 2), str(harness.path / "answer")
        reply = harness.ask("query", batch=batch, answer=answer, gradients=True)[1]
        self.assert_unsupported(reply, "loss binary_cross_entropy")
        self.assertEqual(self.ask(harness, batch).keys(), {"outputs"})


class OutputsTest(ServingTest):
    claims: ClassVar[Message] = {"queries": "outputs"}

    def test_gradients_that_are_not_claimed_are_unsupported(self) -> None:
        harness, _ = self.prepared()
        asked = {"batch": write(harness, x=INPUTS, label=LABELS), "answer": str(harness.path / "answer")}
        self.assert_unsupported(harness.ask("query", gradients=True, **asked)[1], "gradients of inputs")
        self.assertEqual(harness.ask("query", **asked)[1]["type"], "done")


class NoQueriesTest(ServingTest):
    def test_queries_that_are_not_claimed_are_unsupported(self) -> None:
        harness, _ = self.prepared()
        self.assert_unsupported(harness.ask("query", batch="/x", answer="/y")[1], "queries")


if __name__ == "__main__":
    unittest.main()
