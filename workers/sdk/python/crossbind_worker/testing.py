"""What tests of Python workers share: crossbind's side of a conversation, over a real socket."""

import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from .safetensors import write_safetensors

PATIENCE = 120.0  # seconds, for a machine that is busy with other things
REPLIES = ("done", "unsupported", "failed")

Message = dict[str, Any]


class Harness:
    """Starts a worker and talks to it. `log` is what it has printed."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        welcome: bool = True,
        tcp: bool = False,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name)
        address = self.path / "socket"
        with socket.create_server(("127.0.0.1", 0)) if tcp else _unix_server(address) as server:
            server.settimeout(PATIENCE)
            endpoint = f"tcp:127.0.0.1:{server.getsockname()[1]}" if tcp else f"unix:{address}"
            settings = {"CROSSBIND_ENDPOINT": endpoint, "CROSSBIND_TOKEN": "secret", **environment}
            self._log = (self.path / "log").open("w+")
            self.process = subprocess.Popen(
                command, env={**os.environ, **settings}, stdout=self._log, stderr=self._log
            )
            self._socket, _ = server.accept()
        self._socket.settimeout(PATIENCE)
        self._lines = self._socket.makefile("rb")
        self.hello = self.receive()
        self._last_id = 0
        if welcome:
            self.send({"type": "welcome", "protocol": 1, "crossbind": "0.1.0"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self.process.kill()
        self.process.wait()
        self._log.close()
        self._folder.cleanup()

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_line(json.dumps(message).encode() + b"\n")

    def send_line(self, line: bytes) -> None:
        self._socket.sendall(line)

    def receive(self) -> Message:
        message = json.loads(self._lines.readline(), parse_constant=_refuse)
        assert isinstance(message, dict)
        return message

    def start(self, kind: str, **members: Any) -> int:
        self._last_id += 1
        self.send({"type": kind, "id": self._last_id, **members})
        return self._last_id

    def finish(self, request_id: int) -> tuple[list[Message], Message]:
        """The events of a request, and its reply."""
        events: list[Message] = []
        while (message := self.receive())["type"] not in REPLIES:
            events.append(message)
        assert all(each["id"] == request_id for each in (*events, message)), "an id is another request's"
        return events, message

    def ask(self, kind: str, **members: Any) -> tuple[list[Message], Message]:
        return self.finish(self.start(kind, **members))

    def bye(self) -> int:
        """The worker's exit status."""
        self.send({"type": "bye"})
        return self.wait()

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    @property
    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()


def _unix_server(address: Path) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(address))
    server.listen()
    return server


def _refuse(constant: str) -> None:
    raise AssertionError(f"the worker sent {constant}")


def write_job(folder: Path, graph: Message, *, train: int, test: int, **settings: Any) -> Message:
    """The members of a `prepare`, with synthetic files: images are their class's pattern and some noise."""
    random = np.random.default_rng(7)
    choices: Message = {
        "device": "cpu", "loader": "resident", "variant": "step", "measure": "total", "seed": 1, "epochs": 2,
        "batch_size": 8, "training_accuracy": "running", "evaluate": "every_epoch", "warmup_steps": 0,
        "threads": 1, **settings,
    }  # fmt: skip
    parameters = [parameter for node in graph["nodes"] for parameter in node["parameters"]]
    weights = {p["name"]: random.uniform(-0.2, 0.2, p["shape"]).astype(np.float32) for p in parameters}
    classes, given = graph["nodes"][-1]["output"][0], graph["inputs"][0]
    patterns = random.uniform(0, 1, (classes, *given["shape"]))
    data: dict[str, np.ndarray] = {}
    for split, size in (("train", train), ("test", test)):
        labels = random.integers(0, classes, size)
        images = patterns[labels] + random.normal(0, 0.1, (size, *given["shape"]))
        data |= {f"{split}.{given['name']}": images.astype(np.float32), f"{split}.label": labels}
    order = np.stack([random.permutation(train) for _ in range(choices["epochs"])])
    write_safetensors(folder / "weights.safetensors", weights)
    write_safetensors(folder / "data.safetensors", data)
    write_safetensors(folder / "order.safetensors", {"order": order})
    return {
        "graph": graph,
        "weights": str(folder / "weights.safetensors"),
        "data": {"path": str(folder / "data.safetensors"), "train_samples": train, "test_samples": test},
        "order": str(folder / "order.safetensors"),
        "settings": choices,
        "scratch": str(folder),
    }
