import hashlib
import json
import os
import subprocess
import unittest
from pathlib import Path

import numpy as np
from serving_case import COMMAND, ENVIRONMENT, GRAPH, HERE, ServingTest, write

from crossbind_worker.connection import LONGEST_LINE
from crossbind_worker.safetensors import read_safetensors
from crossbind_worker.testing import Harness, Message, write_job


class GreetingTest(ServingTest):
    def test_hello_says_who_it_is_with_the_token(self) -> None:
        harness = self.harness()
        self.assertEqual(harness.hello["type"], "hello")
        self.assertEqual(harness.hello["protocol"], 1)
        self.assertEqual(harness.hello["token"], "secret")
        self.assertEqual(harness.hello["binding"], "fake/python")
        self.assertEqual(harness.hello["capabilities"]["layers"], ["linear"])
        self.assertEqual(harness.bye(), 0)

    def test_tcp_is_the_same(self) -> None:
        harness = self.harness(tcp=True)
        self.assertEqual(harness.ask("prepare", **self.job(harness))[1]["type"], "done")
        self.assertEqual(harness.bye(), 0)

    def test_a_worker_that_is_not_welcome_says_why_and_ends(self) -> None:
        harness = self.harness(welcome=False)
        harness.send({"type": "bye", "reason": "wrong version"})
        self.assertEqual(harness.wait(), 0)
        self.assertIn("wrong version", harness.log)

    def test_without_an_endpoint_it_says_so_and_exits_with_2(self) -> None:
        environment = {key: value for key, value in os.environ.items() if key != "CROSSBIND_ENDPOINT"}
        environment["PYTHONPATH"] = str(HERE.parent)
        ended = subprocess.run(COMMAND, check=False, env=environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("CROSSBIND_ENDPOINT", ended.stderr)

    def test_an_endpoint_where_nobody_listens_is_named(self) -> None:
        for endpoint in ("unix:/nowhere/socket", "carrier-pigeon:7"):
            environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "CROSSBIND_ENDPOINT": endpoint}
            ended = subprocess.run(COMMAND, check=False, env=environment, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(endpoint, ended.stderr)


class EndTest(ServingTest):
    def test_losing_the_connection_ends_an_idle_worker(self) -> None:
        harness = self.harness()
        harness.close()
        self.assertEqual(harness.wait(), 1)

    def test_losing_the_connection_ends_a_worker_that_trains(self) -> None:
        harness = self.slow()
        harness.start("train", evidence=1)
        harness.receive()
        harness.close()
        self.assertEqual(harness.wait(), 1)

    def test_bye_ends_a_worker_that_trains(self) -> None:
        harness = self.slow()
        harness.start("train")
        self.assertEqual(harness.bye(), 0)

    def test_lines_that_are_not_messages_end_the_worker(self) -> None:
        for line in (
            b"{\n",
            b"[]\n",
            b'{"id": 1}\n',
            b'{"type": "train"}\n',
            b'{"type": NaN}\n',
            b" " * LONGEST_LINE + b"\n",
        ):
            with Harness(COMMAND, ENVIRONMENT) as harness:
                harness.send_line(line)
                self.assertEqual(harness.wait(), 1)
                self.assertIn("the connection is broken", harness.log)

    def test_a_line_may_be_as_long_as_the_protocol_allows(self) -> None:
        harness = self.harness()
        message = json.dumps({"type": "train", "id": 1}).encode()
        harness.send_line(message.ljust(LONGEST_LINE - 1) + b"\n")
        self.assert_failed(harness.finish(1)[1], "bad_request")


class RefusalTest(ServingTest):
    def test_requests_before_prepare_are_bad(self) -> None:
        harness = self.harness()
        self.assert_failed(harness.ask("train")[1], "bad_request", "before 'prepare'")
        self.assert_failed(harness.ask("infer")[1], "bad_request", "before 'prepare'")

    def test_a_failed_prepare_forgets_the_model_before(self) -> None:
        harness, job = self.prepared()
        self.assert_failed(harness.ask("prepare", **{**job, "weights": "/nowhere"})[1], "bad_input")
        self.assert_failed(harness.ask("train")[1], "bad_request")

    def test_requests_that_make_no_sense_are_bad_and_the_worker_goes_on(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        nodes = GRAPH["nodes"]
        changes: tuple[Message, ...] = (
            {"graph": 7},
            {"graph": {**GRAPH, "version": 2}},
            {"graph": {**GRAPH, "nodes": []}},
            {"graph": {**GRAPH, "nodes": [{**nodes[0], "inputs": ["y"]}]}},
            {"graph": {**GRAPH, "nodes": [nodes[0], nodes[0]]}},
            {"serialized": "/both"},
            {"weights": 3},
            {"scratch": ""},
            {"data": {"path": "/x", "train_samples": -1, "test_samples": 1}},
            {"settings": {}},
            {"settings": {**job["settings"], "epochs": 0}},
            {"settings": {**job["settings"], "epochs": True}},
            {"settings": {**job["settings"], "epochs": 1.5}},
            {"settings": {**job["settings"], "seed": 2**32}},
            {"settings": {**job["settings"], "measure": "sundial"}},
        )
        for change in changes:
            with self.subTest(change):
                self.assert_failed(harness.ask("prepare", **{**job, **change})[1], "bad_request")
        self.assert_failed(harness.ask("dance")[1], "bad_request", "dance")
        self.assertEqual(harness.ask("prepare", **job, unknown="ignored")[1]["type"], "done")
        self.assert_failed(harness.ask("train", evidence=-2)[1], "bad_request", "evidence")
        self.assert_failed(harness.ask("probe", mode="train")[1], "bad_request")
        self.assert_failed(harness.ask("serialize", path="/x", training=1)[1], "bad_request", "training")
        self.assert_failed(harness.ask("serialize", path="/x", format="papyrus")[1], "bad_request", "papyrus")
        self.assert_failed(harness.ask("serialize", path="/x", precision="int1")[1], "bad_request", "int1")
        self.assert_failed(harness.ask("query", batch="/x")[1], "bad_request", "answer")
        self.assert_failed(
            harness.ask("query", batch="/x", answer="/y", gradients=1)[1], "bad_request", "gradients"
        )

    def test_files_that_are_missing_or_do_not_fit_are_bad_input(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        short = write(harness, order=np.zeros((1, 20), np.int64))
        outside = write(harness, order=np.full((2, 20), 20))
        data = read_safetensors(Path(job["data"]["path"]))
        for change, part in (
            ({"weights": "/nowhere"}, "No such file"),
            ({"weights": write(harness, weight=np.zeros(1))}, "no tensor 'fc.weight'"),
            ({"weights": write(harness, **{"fc.weight": np.zeros((3, 5))})}, "not float32"),
            ({"weights": write(harness, **{"fc.weight": np.zeros((5, 3), np.float32)})}, "(5, 3)"),
            ({"order": short}, "not int64 (2, 20)"),
            ({"order": outside}, "outside of 0 to 19"),
            ({"data": {**job["data"], "train_samples": 21}}, "fewer than 21"),
            ({"data": {**job["data"], "path": "/nowhere"}}, "No such file"),
            ({"data": {**job["data"], "path": short}}, "no tensor 'train.x'"),
            ({"data": changed(harness, job, data, "train.label", np.full(20, 3))}, "0 to 2"),
            ({"data": changed(harness, job, data, "train.label", np.zeros((20, 1), int))}, "one int64"),
            ({"data": changed(harness, job, data, "test.x", np.zeros((6, 5)))}, "not float32"),
            ({"data": changed(harness, job, data, "test.x", np.zeros((6, 4), np.float32))}, "(6, 4)"),
        ):
            with self.subTest(part):
                self.assert_failed(harness.ask("prepare", **{**job, **change})[1], "bad_input", part)

    def test_what_the_binding_lacks_is_unsupported_by_name(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        gru = {**GRAPH["nodes"][0], "type": "gru"}
        bias = {**GRAPH["nodes"][0], "fields": {"bias": True}}
        for change, feature in (
            ({"graph": {**GRAPH, "nodes": [gru]}}, "layer gru"),
            ({"graph": {**GRAPH, "nodes": [bias]}}, "linear.bias=true"),
            ({"settings": {**job["settings"], "device": "abacus"}}, "device abacus"),
            ({"settings": {**job["settings"], "loader": "idiomatic"}}, "loader idiomatic"),
            (
                {"settings": {**job["settings"], "variant": "savedmodel"}},
                "variant savedmodel without a serialized model",
            ),
            (
                {"settings": {**job["settings"], "variant": "fit", "measure": "parts"}},
                "measure parts of variant fit",
            ),
        ):
            self.assert_unsupported(harness.ask("prepare", **{**job, **change})[1], feature)
        del job["weights"]
        reply = harness.ask("prepare", **job, serialized="/x")[1]
        self.assert_unsupported(reply, "task infer-serialization")
        reply = harness.ask("prepare", **job, serialized="/x", format="onnx")[1]
        self.assert_unsupported(reply, "format onnx")

    def test_loss_and_optimizer_are_only_missed_in_training(self) -> None:
        for change, feature in (
            ({"loss": {"type": "binary_cross_entropy"}}, "loss binary_cross_entropy"),
            ({"optimizer": {"type": "adam"}}, "optimizer adam"),
            ({"optimizer": {"type": "sgd", "momentum": 0.9}}, "sgd.momentum"),
        ):
            harness = self.harness()
            job = write_job(harness.path, GRAPH, train=8, test=8)
            labels = {f"{split}.label": np.zeros(8, int) for split in ("train", "test")}
            data = {**read_safetensors(Path(job["data"]["path"])), **labels}
            job["data"]["path"] = write(harness, **data)
            self.assertEqual(
                harness.ask("prepare", **{**job, "graph": {**GRAPH, **change}})[1]["type"], "done"
            )
            self.assertEqual(harness.ask("infer")[1]["type"], "done")
            self.assertEqual(harness.ask("train")[1].get("feature"), feature)

    def test_exceptions_of_the_binding_are_failures_with_its_own_words(self) -> None:
        harness = self.harness()
        job = self.job(harness)

        def prepare(name: str) -> Message:
            return harness.ask("prepare", **{**job, "graph": {**GRAPH, "id": name}})[1]

        self.assert_failed(prepare("raises"), "internal", "RuntimeError: the binding broke")
        self.assertIn("Traceback", harness.log)
        self.assert_failed(prepare("hungry"), "out_of_memory")
        self.assert_failed(prepare("infinite"), "not_finite")
        self.assertEqual(prepare("lazy")["type"], "done")
        self.assert_failed(harness.ask("train")[1], "internal", "zip()")
        self.assertEqual(prepare("fake")["type"], "done")
        self.assertEqual(harness.bye(), 0)


class ProcedureTest(ServingTest):
    def test_training_tells_all_in_order(self) -> None:
        harness, job = self.prepared(warmup_steps=2)
        saved = harness.path / "trained.safetensors"
        events, reply = harness.ask("train", save=str(saved), evidence=1)
        self.assertEqual(reply, {"type": "done", "id": 2, "steps": 6})
        told = [event for event in events if event["type"] != "progress"]
        kinds = [(event["type"], event.get("phase", event.get("epoch"))) for event in told]
        epoch = [("batch", 1), ("timings", "train"), ("epoch", 1)]
        self.assertEqual(kinds[:4], [("timings", "warmup"), *epoch])
        self.assertEqual([kind for kind, _ in kinds[4:]], [kind for kind, _ in epoch])
        self.assertEqual(len(told[0]["steps_ns"]), 2)
        self.assertLess(told[6]["loss"], told[3]["loss"])
        self.assertNotIn("load_ns", told[2])
        weights = read_safetensors(saved)["fc.weight"]
        self.assertFalse(np.array_equal(weights, read_safetensors(Path(job["weights"]))["fc.weight"]))

    def test_parts_are_timed_for_each_step(self) -> None:
        harness, _ = self.prepared(measure="parts", epochs=1)
        events = [event for event in harness.ask("train")[0] if event.get("phase") == "train"]
        for part in ("load_ns", "forward_ns", "backward_ns"):
            self.assertEqual(len(events[0][part]), 3)
            self.assertTrue(all(type(time) is int and time >= 0 for time in events[0][part]))
        parts = sum(sum(events[0][part]) for part in ("load_ns", "forward_ns", "backward_ns"))
        self.assertGreaterEqual(events[0]["total_ns"], parts)

    def test_evidence_is_of_the_data_in_the_order(self) -> None:
        harness, job = self.prepared()
        batches = [event for event in harness.ask("train", evidence=-1)[0] if event["type"] == "batch"]
        data = read_safetensors(Path(job["data"]["path"]))
        order = read_safetensors(Path(job["order"]))["order"]
        self.assertEqual(
            [(b["epoch"], b["batch"]) for b in batches], [(e, n) for e in (1, 2) for n in (0, 1, 2)]
        )
        for batch in batches:
            ids = order[batch["epoch"] - 1][batch["batch"] * 8 :][:8]
            self.assertEqual((batch["ids"], batch["count"]), (ids.tolist(), len(ids)))
            self.assertEqual(batch["inputs_sha256"], sha256(data["train.x"][ids]))
            self.assertEqual(batch["labels_sha256"], sha256(data["train.label"][ids]))

    def test_the_settings_say_what_is_evaluated_when(self) -> None:
        harness, _ = self.prepared(evaluate="last", training_accuracy="eval", epochs=3)
        epochs = [event for event in harness.ask("train")[0] if event["type"] == "epoch"]
        for member in ("test_accuracy", "test_loss"):
            self.assertEqual([member in epoch for epoch in epochs], [False, False, True])
        self.assertTrue(all(0 <= epoch["train_accuracy"] <= 1 for epoch in epochs))

    def test_the_test_loss_is_of_the_parameters_that_an_epoch_came_to(self) -> None:
        harness, job = self.prepared(epochs=3, batch_size=4)
        saved = harness.path / "trained.safetensors"
        events = harness.ask("train", save=str(saved))[0]
        told = [event["test_loss"] for event in events if event["type"] == "epoch"]
        data = read_safetensors(Path(job["data"]["path"]))
        outputs = (data["test.x"] @ read_safetensors(saved)["fc.weight"].T).astype(float)
        right = np.exp(outputs)[np.arange(6), data["test.label"]] / np.exp(outputs).sum(axis=1)
        # In batches of 4 and 2 there: the products, which are float32, may be summed up in another order.
        self.assertAlmostEqual(told[-1], -np.log(right).mean(), places=6)
        self.assertEqual(len(set(told)), 3)

    def test_no_more_warm_up_is_reported_than_there_was(self) -> None:
        for asked in (0, 2, 100):
            harness, _ = self.prepared(warmup_steps=asked)
            for request, batches in (("train", 3), ("infer", 1)):
                events = harness.ask(request)[0]
                warmups = [len(event["steps_ns"]) for event in events if event.get("phase") == "warmup"]
                self.assertEqual(warmups, [min(asked, batches)] if asked else [])

    def test_neither_warm_up_nor_an_earlier_training_changes_the_result(self) -> None:
        saved = []
        for warmup in (0, 3, 100):
            harness, _ = self.prepared(warmup_steps=warmup)
            for name in ("one", "two"):
                harness.ask("train", save=str(harness.path / name))
                saved.append((harness.path / name).read_bytes())
        self.assertEqual(len(set(saved)), 1)

    def test_a_loss_that_is_not_finite_is_a_failure(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        job["weights"] = write(harness, **{"fc.weight": np.full((3, 5), np.nan, np.float32)})
        self.assertEqual(harness.ask("prepare", **job)[1]["type"], "done")
        self.assert_failed(harness.ask("train")[1], "not_finite", "step 1 in epoch 1")
        self.assert_failed(harness.ask("infer")[1], "not_finite")

    def test_a_model_that_runs_whole_epochs_tells_the_same(self) -> None:
        told = []
        for variant in ("step", "fit"):
            harness, _ = self.prepared(variant=variant, warmup_steps=2, evaluate="last")
            saved, outputs = harness.path / "trained", harness.path / "outputs"
            events = harness.ask("train", save=str(saved), evidence=2)[0]
            events += harness.ask("infer", outputs=str(outputs))[0]
            warmups = [event for event in events if event.get("phase") == "warmup"]
            self.assertEqual([len(event["steps_ns"]) for event in warmups], [2, 1])
            others = [event for event in events if event["type"] in ("batch", "epoch")]
            told.append((others, saved.read_bytes(), outputs.read_bytes()))
        self.assertEqual(told[0], told[1])

    def test_whole_epochs_can_be_cancelled_too(self) -> None:
        harness = self.slow(variant="fit")
        request = harness.start("train", evidence=1)
        harness.receive()
        harness.send({"type": "cancel", "id": request})
        self.assert_failed(harness.finish(request)[1], "cancelled")

    def test_training_can_be_cancelled_between_two_batches_and_done_again(self) -> None:
        harness = self.slow()
        request = harness.start("train", evidence=1)
        harness.receive()
        harness.send({"type": "cancel", "id": request + 7})
        harness.send({"type": "cancel", "id": request})
        events, reply = harness.finish(request)
        self.assert_failed(reply, "cancelled")
        self.assertNotIn("timings", [event["type"] for event in events])  # the epoch did not end
        harness.send({"type": "cancel", "id": request})
        self.assertEqual(harness.ask("prepare", **self.job(harness))[1]["type"], "done")
        self.assertEqual(harness.ask("train")[1]["type"], "done")

    def test_a_cancel_that_comes_with_its_request_counts(self) -> None:
        harness = self.slow()
        harness.send_line(b'{"type": "train", "id": 9}\n{"type": "cancel", "id": 9}\n')
        self.assert_failed(harness.finish(9)[1], "cancelled")

    def test_inference_goes_through_the_test_set_in_file_order(self) -> None:
        harness, job = self.prepared(batch_size=4, warmup_steps=1, measure="parts")
        path = harness.path / "outputs.safetensors"
        events, reply = harness.ask("infer", outputs=str(path))
        data = read_safetensors(Path(job["data"]["path"]))
        expected = data["test.x"] @ read_safetensors(Path(job["weights"]))["fc.weight"].T
        np.testing.assert_allclose(read_safetensors(path)["outputs"], expected, rtol=1e-5)
        right = (expected.argmax(axis=1) == data["test.label"]).mean()
        self.assertEqual((reply["samples"], reply["accuracy"]), (6, right))
        self.assertEqual([event["phase"] for event in events], ["warmup", "infer"])
        self.assertEqual([len(events[1][part]) for part in ("load_ns", "forward_ns")], [2, 2])
        self.assertNotIn("backward_ns", events[1])

    def test_what_was_not_prepared_cannot_be_done(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        del job["order"]
        harness.ask("prepare", **job)
        self.assert_failed(harness.ask("train")[1], "bad_request", "order")
        del job["data"]
        harness.ask("prepare", **job)
        self.assert_failed(harness.ask("infer")[1], "bad_request", "test samples")

    def test_a_probe_writes_what_is_wanted_and_says_what_is_not_there(self) -> None:
        harness, _ = self.prepared()
        weight = np.ones((3, 5), np.float32)
        state = write(harness, **{"fc.weight": weight, "fc.weight.state.m": weight, "stray": weight})
        inputs = np.arange(10, dtype=np.float32).reshape(2, 5)
        wanted = {"wanted": ["fc.out", "hidden.out", "gone.out"], "directory": str(harness.path)}
        asked = {"mode": "eval", "step": 2, "state": state, **wanted}
        reply = harness.ask("probe", batch=write(harness, x=inputs), **asked)[1]
        self.assertEqual((reply["fused"], reply["missing"]), (["hidden.out"], ["gone.out"]))
        self.assertNotIn("loss", reply)
        found = read_safetensors(Path(reply["tensors"]))
        np.testing.assert_array_equal(found["fc.out"], inputs @ weight.T, strict=True)
        self.assertEqual(list(found), ["fc.out"])
        batch = write(harness, x=inputs, label=np.array([0, 2]))
        self.assertAlmostEqual(harness.ask("probe", batch=batch, **asked)[1]["loss"], np.log(3), places=5)
        bare = write(harness, x=inputs)
        self.assert_failed(
            harness.ask("probe", batch=bare, **{**asked, "mode": "train"})[1], "bad_input", "label"
        )
        self.assert_failed(
            harness.ask("probe", batch=bare, step=1, mode="train", **wanted)[1], "bad_request", "state"
        )
        uneven = write(harness, x=inputs, label=np.array([0]))
        self.assert_failed(harness.ask("probe", batch=uneven, **asked)[1], "bad_input", "one number")

    def test_a_probe_without_a_state_evaluates_what_was_prepared(self) -> None:
        harness, job = self.prepared()
        inputs = np.arange(10, dtype=np.float32).reshape(2, 5)
        asked = {"mode": "eval", "step": 1, "wanted": ["fc.out"], "directory": str(harness.path)}
        reply = harness.ask("probe", batch=write(harness, x=inputs), **asked)[1]
        weight = read_safetensors(Path(job["weights"]))["fc.weight"]
        np.testing.assert_array_equal(read_safetensors(Path(reply["tensors"]))["fc.out"], inputs @ weight.T)

    def test_dropout_of_a_probe_is_drawn_on_and_on_from_the_seed(self) -> None:
        weight, inputs = np.ones((3, 5), np.float32), np.ones((40, 5), np.float32)

        def drawn(seed: int) -> list[bytes]:
            harness, _ = self.prepared(seed=seed)
            asked = {
                "mode": "train", "step": 1, "state": write(harness, **{"fc.weight": weight}), "dropout": True,
                "batch": write(harness, x=inputs, label=np.zeros(40, int)), "wanted": ["fc.out"],
                "directory": str(harness.path),
            }  # fmt: skip
            replies = [harness.ask("probe", **asked)[1] for _ in range(2)]
            return [read_safetensors(Path(reply["tensors"]))["fc.out"].tobytes() for reply in replies]

        first, again, other = drawn(1), drawn(1), drawn(2)
        self.assertEqual(first, again)
        self.assertEqual(len({*first, *other}), 4)

    def test_there_is_no_dropout_in_evaluation(self) -> None:
        harness, _ = self.prepared()
        asked = {"step": 1, "batch": "/x", "wanted": [], "directory": "/x"}
        reply = harness.ask("probe", mode="eval", dropout=True, **asked)[1]
        self.assert_failed(reply, "bad_request", "dropout")


def changed(
    harness: Harness, job: Message, data: dict[str, np.ndarray], name: str, values: np.ndarray
) -> Message:
    return {**job["data"], "path": write(harness, **{**data, name: values})}


def sha256(values: np.ndarray) -> str:
    return hashlib.sha256(values.tobytes()).hexdigest()


if __name__ == "__main__":
    unittest.main()
