"""What the tests ask of a worker, for any graph."""

from pathlib import Path
from typing import Any

import numpy as np

from crossbind_worker.safetensors import read_safetensors, write_safetensors
from crossbind_worker.testing import Harness, Message

SETTINGS: Message = {
    "device": "cpu", "loader": "resident", "variant": "step", "measure": "total", "seed": 1, "epochs": 1,
    "batch_size": 8, "training_accuracy": "running", "evaluate": "last", "warmup_steps": 0, "threads": 1,
}  # fmt: skip


def samples(graph: Message, size: int, seed: int = 7) -> dict[str, np.ndarray]:
    """Inputs and targets; a mask keeps the first step, so that something is left to attend to."""
    random = np.random.default_rng(seed)
    tensors: dict[str, np.ndarray] = {}
    for given in graph["inputs"]:
        shape = (size, *given["shape"])
        if given["type"] == "integer":
            tensors[given["name"]] = random.integers(0, given["entries"], shape)
        else:
            tensors[given["name"]] = random.uniform(0, 1, shape).astype(np.float32)
    if "mask" in tensors:
        tensors["mask"][:, 0] = 1
    output, loss = graph["nodes"][-1]["output"], graph["loss"]["type"]
    targets = ("start", "end") if loss == "span_cross_entropy" else ("label",)
    classes = 2 if loss == "binary_cross_entropy" else output[0]
    return tensors | {target: random.integers(0, classes, size) for target in targets}


def job(
    folder: Path, graph: Message, weights: Path, *, train: int = 0, test: int = 0, **settings: Any
) -> Message:
    """The members of a `prepare`."""
    chosen = SETTINGS | settings
    members: Message = {
        "graph": graph, "weights": str(weights), "settings": chosen, "scratch": str(folder)
    }  # fmt: skip
    if train or test:
        sizes = {"train": train, "test": test}
        data = {f"{split}.{name}": values for split, size in sizes.items()
                for name, values in samples(graph, size).items()}  # fmt: skip
        write_safetensors(folder / "data.safetensors", data)
        path = str(folder / "data.safetensors")
        members["data"] = {"path": path, "train_samples": train, "test_samples": test}
    if train:
        random = np.random.default_rng(3)
        order = np.stack([random.permutation(train) for _ in range(chosen["epochs"])])
        write_safetensors(folder / "order.safetensors", {"order": order})
        members["order"] = str(folder / "order.safetensors")
    return members


def moments(graph: Message) -> dict[str, np.ndarray]:
    """As an optimizer may have them after some steps."""
    random = np.random.default_rng(5)
    kinds = "mv" if graph["optimizer"]["type"] == "adam" else "m" if graph["optimizer"]["momentum"] else ""
    tensors = {}
    for node in graph["nodes"]:
        for parameter in node["parameters"]:
            for kind in kinds if parameter["trainable"] else "":
                values = random.normal(0, 1e-2, parameter["shape"]).astype(np.float32)
                tensors[f"{parameter['name']}.state.{kind}"] = values if kind == "m" else values**2
    return tensors


def probe(
    harness: Harness, graph: Message, weights: Path, mode: str = "train", seed: int = 7, **members: Any
) -> tuple[Message, dict[str, np.ndarray]]:
    """The third step on a batch of the graph's size: the reply, and all tensors that there are of it."""
    batch, state = harness.path / "batch.safetensors", harness.path / "state.safetensors"
    write_safetensors(batch, samples(graph, graph["batch"], seed))
    before = moments(graph)
    write_safetensors(state, {**read_safetensors(weights), **before})
    parameters = [parameter for node in graph["nodes"] for parameter in node["parameters"]]
    wanted = [f"{node['name']}.out" for node in graph["nodes"]] + [each["name"] for each in parameters]
    if mode == "train":
        wanted += [f"{each['name']}.grad" for each in parameters if each["trainable"]]
        wanted += list(before)
    reply = harness.ask(
        "probe",
        mode=mode,
        step=3,
        batch=str(batch),
        state=str(state),
        wanted=wanted,
        directory=str(harness.path),
        **members,
    )[1]
    if reply["type"] != "done":
        raise AssertionError(f"{reply}\n{harness.log}")
    return reply, read_safetensors(Path(reply["tensors"]))
