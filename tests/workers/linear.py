"""A worker in nothing but Python's standard library: one linear layer, cross-entropy, plain SGD.

Its argument makes it wrong in one way, for the tests of `crossbind worker check`; without one it is right.
"""

import array
import hashlib
import json
import math
import os
import socket
import struct
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
CAPABILITIES = {
    "tasks": ["train", "infer-parameters"], "devices": ["cpu"], "loaders": ["resident"], "variants": ["step"],
    "measures": ["total"], "training_accuracies": ["running"], "layers": ["linear"],
    "losses": ["cross_entropy"], "optimizers": ["sgd"], "lacks": [], "conventions": {}, "probe": "none",
    "queries": "gradients", "saves": True,
}  # fmt: skip


class Refusal(Exception):
    """Becomes the reply."""

    def __init__(self, **reply):
        super().__init__(reply)
        self.reply = reply


def failed(code, message):
    return Refusal(type="failed", code=code, message=str(message))


def read(path):
    """The tensors of a safetensors file: shape and values, float32 or int64."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        (length,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + length])
    except (OSError, ValueError, struct.error) as error:
        raise failed("bad_input", f"{path}: {error}") from error
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            values = array.array({"F32": "f", "I64": "q"}[entry["dtype"]])
            values.frombytes(content[8 + length + begin : 8 + length + end])
            tensors[name] = (entry["shape"], values)
    return tensors


def write(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        piece = array.array("f", values).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    try:
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data)
    except OSError as error:
        raise failed("internal", f"{path}: {error}") from error


class Model:
    """What was prepared."""

    def __init__(self, request):
        node = request["graph"]["nodes"][0]
        for each in request["graph"]["nodes"]:
            if each["type"] != "linear":
                raise Refusal(type="unsupported", feature=f"layer {each['type']}")
        self.graph, self.settings = request["graph"], request["settings"]
        self.outputs, self.inputs = node["output"][0], node["fields"]["in_features"]
        self.shapes = {parameter["name"]: parameter["shape"] for parameter in node["parameters"]}
        self.weights = {}
        tensors = read(request["weights"])
        for name, shape in self.shapes.items():
            if tensors.get(name, (None,))[0] != shape:
                raise failed("bad_input", f"{request['weights']}: no tensor '{name}' of shape {shape}")
            self.weights[name] = tensors[name][1]
        self.weight, self.bias = (f"{node['name']}.{part}" for part in ("weight", "bias"))
        data = read(request["data"]["path"])
        field = request["graph"]["inputs"][0]["name"]
        self.splits = {}
        for split in ("train", "test"):
            size = request["data"][f"{split}_samples"]
            self.splits[split] = (data[f"{split}.{field}"][1], data[f"{split}.label"][1][:size])
        self.order = []
        if "order" in request:
            samples = request["data"]["train_samples"]
            shape, ids = read(request["order"])["order"]
            if shape != [self.settings["epochs"], samples]:
                raise failed("bad_input", f"{request['order']}: 'order' is {shape}")
            self.order = [ids[i * samples : (i + 1) * samples] for i in range(shape[0])]
        self.restore()

    def restore(self):
        self.parameters = {name: list(values) for name, values in self.weights.items()}

    def count(self):
        return sum(len(values) for values in self.weights.values())

    def batches(self, ids):
        size = self.settings["batch_size"]
        cut = [ids[i : i + size] for i in range(0, len(ids), size)]
        return [batch for batch in cut if len(batch) == size] if MODE == "drops-the-last-batch" else cut

    def sample(self, split, number):
        inputs, labels = self.splits[split]
        return inputs[number * self.inputs : (number + 1) * self.inputs], labels[number]

    def forward(self, x):
        weight, bias = self.parameters[self.weight], self.parameters.get(self.bias, [0.0] * self.outputs)
        rows = (weight[row * self.inputs : (row + 1) * self.inputs] for row in range(self.outputs))
        return [sum(map(float.__mul__, row, x)) + b for row, b in zip(rows, bias, strict=True)]

    def step(self, ids):
        """The summed loss and the number of right answers before the update."""
        loss, correct = 0.0, 0
        weight, bias = [0.0] * (self.outputs * self.inputs), [0.0] * self.outputs
        for number in ids:
            x, label = self.sample("train", number)
            logits = self.forward(x)
            if not all(map(math.isfinite, logits)):
                raise failed("not_finite", "an output is not finite")
            top = max(logits)
            total = sum(math.exp(logit - top) for logit in logits)
            loss += math.log(total) + top - logits[label]
            correct += logits.index(top) == label
            for row, logit in enumerate(logits):
                error = (math.exp(logit - top) / total - (row == label)) / len(ids)
                bias[row] += error
                for column, value in enumerate(x):
                    weight[row * self.inputs + column] += error * value
        for name, gradient in ((self.weight, weight), (self.bias, bias)):
            if name in self.parameters:
                rate, values = self.graph["optimizer"]["rate"], self.parameters[name]
                values[:] = [value - rate * slope for value, slope in zip(values, gradient, strict=True)]
        return loss, correct

    def infer(self):
        """The outputs of the test set, the share of right ones and the mean loss."""
        labels = self.splits["test"][1]
        outputs = [self.forward(self.sample("test", number)[0]) for number in range(len(labels))]
        right = [row.index(max(row)) == label for row, label in zip(outputs, labels, strict=True)]
        losses = [-math.log(softmax(row)[label]) for row, label in zip(outputs, labels, strict=True)]
        return outputs, sum(right) / len(right), sum(losses) / len(losses)

    def query(self, request):
        tensors = read(request["batch"])
        (samples, *shape), values = tensors[self.graph["inputs"][0]["name"]]
        rows = [values[i * self.inputs : (i + 1) * self.inputs] for i in range(samples)]
        outputs = [self.forward(x) for x in rows]
        answer = {"outputs": ([samples, self.outputs], [value for row in outputs for value in row])}
        if request.get("gradients"):
            labels = tensors["label"][1]
            slopes = [self.input_slopes(row, label) for row, label in zip(outputs, labels, strict=True)]
            scale = 1 / samples if MODE == "takes-the-mean-in-queries" else 1
            flat = [value * scale for row in slopes for value in row]
            answer[f"{self.graph['inputs'][0]['name']}.grad"] = ([samples, *shape], flat)
        if MODE == "changes-in-queries":
            self.parameters[self.weight][0] += 1
        write(request["answer"], answer)
        return {}

    def input_slopes(self, logits, label):
        errors = [share - (row == label) for row, share in enumerate(softmax(logits))]
        weight = self.parameters[self.weight]
        return [
            sum(error * weight[row * self.inputs + column] for row, error in enumerate(errors))
            for column in range(self.inputs)
        ]


def softmax(logits):
    shares = [math.exp(logit - max(logits)) for logit in logits]
    return [share / sum(shares) for share in shares]


class Worker:
    def __init__(self, connection):
        self.connection, self.buffer = connection, b""
        self.model, self.request_id = None, None

    def send(self, **message):
        self.connection.sendall(json.dumps(message, allow_nan=False).encode() + b"\n")

    def event(self, **message):
        self.send(**message, id=self.request_id)

    def receive(self):
        """The next message; None when none is there and the connection does not block."""
        while b"\n" not in self.buffer:
            try:
                piece = self.connection.recv(1 << 16)
            except BlockingIOError:
                return None
            if not piece:
                leave(1, "the connection is closed")
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            message = json.loads(line)
            if not isinstance(message["id"] if "id" in message else 0, int):
                raise ValueError("an id that is no integer")
            if "id" not in message and message["type"] not in ("welcome", "bye"):
                raise ValueError("a request without an id")
        except (ValueError, TypeError, KeyError) as error:
            leave(1, f"not a message: {error}")
        if message["type"] == "bye":
            leave(0, message.get("reason", ""))
        return message

    def look_for_cancel(self):
        self.connection.setblocking(False)
        message = self.receive()
        self.connection.setblocking(True)
        if MODE == "ignores-cancel":
            return
        if message and message["type"] == "cancel" and message["id"] == self.request_id:
            raise failed("cancelled", "cancelled")

    def answer(self, request):
        self.request_id = request["id"]
        try:
            reply = {"type": "done", **self.perform(request)}
        except Refusal as refusal:
            reply = refusal.reply
        except (KeyError, TypeError, IndexError) as error:
            reply = failed("bad_request", repr(error)).reply
        self.event(**reply)

    def perform(self, request):
        kind = request["type"]
        if MODE == "never-answers":
            time.sleep(3600)
        if MODE == "says-no-json":
            self.connection.sendall(b"Epoch 1/10 [====>.....]\n")
        if kind == "prepare":
            self.model = None
            self.model = Model(request)
            return {"parameters": self.model.count() + (MODE == "counts-wrong"), "effective": {}}
        if kind == "serialize":
            raise Refusal(type="unsupported", feature=f"format {request['format']}")
        if kind not in ("train", "infer", "query"):
            raise failed("bad_request", f"no request '{kind}'")
        if self.model is None:
            raise failed("bad_request", "nothing is prepared")
        work = {"train": self.train, "infer": self.infer, "query": self.model.query}
        return work[kind](request)

    def train(self, request):
        model, optimizer = self.model, self.model.graph["optimizer"]["type"]
        if optimizer != "sgd":
            raise Refusal(type="unsupported", feature=f"optimizer {optimizer}")
        if MODE != "goes-on-from-the-last-training":
            model.restore()
        warmup = model.batches(model.order[0])[: model.settings["warmup_steps"]]
        if warmup:
            self.event(type="timings", phase="warmup", steps_ns=[timed(model.step, ids) for ids in warmup])
            if MODE != "keeps-its-warm-up":
                model.restore()
        steps = 0
        for epoch, ids in enumerate(model.order, 1):
            steps += self.epoch(epoch, model.batches(ids), request.get("evidence", 0))
        if "save" in request:
            write(request["save"], {name: (model.shapes[name], v) for name, v in model.parameters.items()})
        return {"steps": steps}

    def epoch(self, epoch, batches, evidence):
        loss, correct, begin = 0.0, 0, time.perf_counter_ns()
        for number, ids in enumerate(batches):
            self.look_for_cancel()
            if number < evidence or evidence < 0:
                self.show(epoch, number, ids)
            batch_loss, batch_correct = self.model.step(ids)
            loss, correct = loss + batch_loss, correct + batch_correct
        self.event(type="timings", phase="train", epoch=epoch, total_ns=time.perf_counter_ns() - begin)
        samples = sum(map(len, batches))
        metrics = {"loss": loss / samples, "train_accuracy": correct / samples}
        if MODE == "sums-the-loss":
            metrics["loss"] = loss
        settings = self.model.settings
        if settings["evaluate"] == "every_epoch" or epoch == settings["epochs"]:
            _, metrics["test_accuracy"], metrics["test_loss"] = self.model.infer()
            if MODE == "sums-the-test-loss":
                metrics["test_loss"] *= len(self.model.splits["test"][1])
        if MODE != "reports-no-epochs":
            self.event(type="epoch", epoch=epoch, **metrics)
        return len(batches)

    def show(self, epoch, number, ids):
        samples = [self.model.sample("train", number) for number in ids]
        inputs, labels = hashlib.sha256(), hashlib.sha256()
        for x, label in samples:
            inputs.update(x.tobytes())
            labels.update(struct.pack("<q", label))
        self.event(
            type="batch", epoch=epoch, batch=number, count=len(ids), ids=list(ids),
            inputs_sha256=inputs.hexdigest(), labels_sha256=labels.hexdigest(),
        )  # fmt: skip

    def infer(self, request):
        warmup = self.model.batches(self.model.splits["test"][1])[: self.model.settings["warmup_steps"]]
        if warmup:
            self.event(type="timings", phase="warmup", steps_ns=[timed(self.model.infer) for _ in warmup])
        begin = time.perf_counter_ns()
        outputs, accuracy, _ = self.model.infer()
        self.event(type="timings", phase="infer", total_ns=time.perf_counter_ns() - begin)
        if not all(math.isfinite(value) for row in outputs for value in row):
            raise failed("not_finite", "an output is not finite")
        if "outputs" in request:
            values = [value for row in outputs for value in row]
            write(request["outputs"], {"outputs": ([len(outputs), self.model.outputs], values)})
        return {"samples": len(outputs), "accuracy": accuracy}


def timed(function, *arguments):
    begin = time.perf_counter_ns()
    function(*arguments)
    return time.perf_counter_ns() - begin


def leave(code, reason):
    print(f"worker: {reason}", file=sys.stderr)
    sys.exit(code)


def connect(endpoint):
    kind, _, address = endpoint.partition(":")
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address)
        return connection
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)))


def main():
    endpoint = os.environ.get("CROSSBIND_ENDPOINT")
    if endpoint is None:
        leave(2, "CROSSBIND_ENDPOINT is not set")
    worker = Worker(connect(endpoint))
    token = "guessed" if MODE == "wrong-token" else os.environ["CROSSBIND_TOKEN"]
    worker.send(
        type="hello", protocol=2 if MODE == "wrong-version" else 1, token=token, binding="linear/python",
        versions={"worker": "1", "python": sys.version.split()[0]}, capabilities=CAPABILITIES,
    )  # fmt: skip
    while True:
        message = worker.receive()
        if message["type"] not in ("welcome", "cancel"):
            worker.answer(message)


if __name__ == "__main__":
    main()
