#!/usr/bin/env python3
"""Trains models with PyTorch in float64 and writes what the referee's test compares itself to.

Reads models/ID.toml at its [conform] geometry, builds the model from torch's own layers, does two
training steps and one evaluation on hashed values, and writes ID.json: the losses; a summary of
every layer's output and every gradient of the first step; of every parameter, running statistic
and optimizer moment after the second step; and of the output in evaluation.

A summary is the shape, the L2 norm, the projection on a hashed vector (which sees every element and
its place) and some evenly spaced elements. Numbers are written with the digits that give back the
same float64, 17 at most.

To regenerate, with Python 3.11, torch 2.7.1 and numpy 1.26 or later, at the root of the repository:
    pip install torch==2.7.1 numpy
    python src/referee/testdata/make_pytorch_fixtures.py
"""

import argparse
import json
import math
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pytorch_layers import LAYERS, Context

HERE = Path(__file__).resolve().parent
MODELS = ["lenet5", "vgg16", "resnet20", "lstm", "gru", "grurb", "bert-base", "vgg16-bn-all"]

# The numbers of hashed tensors: parameters from 0; the inputs of batch b from 1000 + 100 b, its
# labels and ends 50 and 51 later; the vector that summaries project on.
FIRST_INPUT, BATCH_STRIDE, LABELS, ENDS = 1000, 100, 50, 51
PROJECTION = 5000
TRAINING_STEPS = 2


def hashed(tensor: int, count: int) -> np.ndarray:
    """Numbers in [0, 1), the same as hashed() in hashed_batch.h."""
    mask = np.uint64(0xFFFFFFFF)
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(2654435761)
    x = (x + np.uint64((tensor + 1) * 40503)) & mask
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(2246822519)) & mask
    x ^= x >> np.uint64(13)
    return (x >> np.uint64(8)).astype(np.float64) / 2**24


@dataclass
class Layer:
    name: str
    type: str
    options: dict[str, Any]
    sources: list[str]


@dataclass
class Model:
    loss: str
    optimizer: dict[str, Any]
    batch: int
    inputs: dict[str, dict[str, Any]]
    layers: list[Layer] = field(default_factory=list)

    def previous(self) -> str | None:
        if self.layers:
            return self.layers[-1].name
        return next(iter(self.inputs)) if len(self.inputs) == 1 else None

    def add(self, tables: list[dict[str, Any]], scopes: list[str], block_input: str | None) -> None:
        """Appends layers; scopes are the prefixes of the blocks around them, the innermost last."""
        for table in tables:
            if "layers" in table:
                for i in range(table.get("repeat", 1)):
                    prefix = scopes[-1] + table["name"].replace("{i}", str(i)) + "."
                    self.add(table["layers"], [*scopes, prefix], self.previous())
                continue
            options = {k: v for k, v in table.items() if k not in ("name", "type", "from")}
            sources = table.get("from", self.previous())
            sources = [sources] if isinstance(sources, str) else sources
            sources = [self.find(s, scopes, block_input) for s in sources]
            self.layers.append(Layer(scopes[-1] + table["name"], table["type"], options, sources))

    def find(self, name: str, scopes: list[str], block_input: str | None) -> str:
        if name == "@input":
            return block_input
        known = {*self.inputs, *(layer.name for layer in self.layers)}
        return next(prefix + name for prefix in reversed(scopes) if prefix + name in known)


def with_sizes(value: Any, sizes: dict[str, int]) -> Any:
    """The value with every "$name" replaced by its size."""
    if isinstance(value, str) and value.startswith("$"):
        return sizes[value[1:]]
    if isinstance(value, list):
        return [with_sizes(v, sizes) for v in value]
    if isinstance(value, dict):
        return {k: with_sizes(v, sizes) for k, v in value.items()}
    return value


def read_model(path: Path) -> Model:
    document = tomllib.loads(path.read_text())
    conform = document.get("conform", {})
    document = with_sizes(document, document.get("sizes", {}) | conform.get("sizes", {}))
    batch = conform.get("batch", document["batch"])
    model = Model(document["loss"], document["optimizer"], batch, document["inputs"])
    model.add(document["layers"], [""], model.previous())
    return model


@dataclass
class Parameters:
    """Parameters and running statistics, made with hashed values when a layer first asks."""

    values: dict[str, Tensor] = field(default_factory=dict)

    def __call__(self, name: str, shape: list[int], role: str) -> Tensor:
        if name not in self.values:
            u = torch.from_numpy(hashed(len(self.values), math.prod(shape))).reshape(shape)
            if role in ("scale", "running_var"):
                value = 1 + (2 * u - 1) / 4
            else:
                fan_in = 16 if len(shape) == 1 else math.prod(shape[1:])
                value = (2 * u - 1) / math.sqrt(fan_in)
            self.values[name] = value.requires_grad_(not role.startswith("running"))
        return self.values[name]

    def trainable(self) -> dict[str, Tensor]:
        return {name: value for name, value in self.values.items() if value.requires_grad}


def make_inputs(model: Model, number: int) -> dict[str, Tensor]:
    first = FIRST_INPUT + BATCH_STRIDE * number
    result = {}
    for i, (name, spec) in enumerate(model.inputs.items()):
        shape = [model.batch, *spec["shape"]]
        u = torch.from_numpy(hashed(first + i, math.prod(shape))).reshape(shape)
        if name == "mask":
            kept = torch.arange(shape[-1]) < shape[-1] - shape[-1] // 4
            result[name] = kept.long().expand(shape)
        elif "entries" in spec:
            result[name] = torch.floor(u * spec["entries"]).long()
        else:
            result[name] = u
    return result


def make_targets(model: Model, number: int, classes: int) -> tuple[Tensor, Tensor]:
    first = FIRST_INPUT + BATCH_STRIDE * number
    labels, ends = (
        torch.floor(torch.from_numpy(hashed(first + which, model.batch)) * classes).long()
        for which in (LABELS, ENDS)
    )
    return labels, ends


def forward(
    model: Model, parameters: Parameters, inputs: dict[str, Tensor], training: bool
) -> dict[str, Tensor]:
    """Every layer's output; no dropout in training, the model's own rates in evaluation."""
    known = dict(inputs)
    for layer in model.layers:
        context = Context(layer.name, layer.options, parameters, training)
        known[layer.name] = LAYERS[layer.type](context, *(known[s] for s in layer.sources))
    return {layer.name: known[layer.name] for layer in model.layers}


def loss_of(model: Model, output: Tensor, number: int) -> Tensor:
    functional = torch.nn.functional
    if model.loss == "binary_cross_entropy":
        labels, _ = make_targets(model, number, 2)
        return functional.binary_cross_entropy_with_logits(output[:, 0], labels.double())
    labels, ends = make_targets(model, number, output.shape[1])
    if model.loss == "cross_entropy":
        return functional.cross_entropy(output, labels)
    starts = functional.cross_entropy(output[:, :, 0], labels)
    return (starts + functional.cross_entropy(output[:, :, 1], ends)) / 2


def make_optimizer(spec: dict[str, Any], parameters: list[Tensor]) -> torch.optim.Optimizer:
    decay = spec.get("weight_decay", {"value": 0.0, "form": "coupled", "applies_to": "all"})
    if (decay["form"], decay["applies_to"]) != ("coupled", "all"):
        raise ValueError(f"torch has no weight decay like {decay}")
    shared = {"lr": spec["rate"], "weight_decay": decay["value"], "foreach": False}
    if spec["type"] == "sgd":
        return torch.optim.SGD(parameters, momentum=spec["momentum"], **shared)
    if spec["epsilon_form"] != "outside":
        raise ValueError("torch's Adam has its epsilon outside")
    betas = (spec["beta1"], spec["beta2"])
    return torch.optim.Adam(parameters, betas=betas, eps=spec["epsilon"], **shared)


def summary(value: Tensor, samples: int) -> dict[str, Any]:
    flat = value.detach().contiguous().reshape(-1).numpy()
    last = len(flat) - 1
    count = min(len(flat), samples)
    indices = [k * last // max(count - 1, 1) for k in range(count)]
    return {
        "shape": list(value.shape),
        "norm": math.sqrt(math.fsum(flat * flat)),
        "projection": math.fsum(flat * (2 * hashed(PROJECTION, len(flat)) - 1)),
        "values": [float(flat[i]) for i in indices],
    }


def make_fixture(model: Model) -> dict[str, Any]:
    parameters = Parameters()
    optimizer = None
    losses, outputs, gradients = [], {}, {}
    for step in range(TRAINING_STEPS):
        results = forward(model, parameters, make_inputs(model, step), training=True)
        if optimizer is None:
            optimizer = make_optimizer(model.optimizer, list(parameters.trainable().values()))
        loss = loss_of(model, list(results.values())[-1], step)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            outputs = results
            gradients = {n: p.grad.clone() for n, p in parameters.trainable().items()}
        optimizer.step()

    def moments(key: str) -> dict[str, Tensor]:
        states = {name: optimizer.state[p] for name, p in parameters.trainable().items()}
        return {n: state[key] for n, state in states.items() if state.get(key) is not None}

    with torch.no_grad():
        evaluated = forward(model, parameters, make_inputs(model, TRAINING_STEPS), training=False)
    last = model.layers[-1].name
    sections = {
        "outputs": outputs,
        "gradients": gradients,
        "parameters": parameters.values,
        "m": moments("momentum_buffer") or moments("exp_avg"),
        "v": moments("exp_avg_sq"),
        "evaluation": {last: evaluated[last]},
    }
    samples = 16 if len(parameters.values) < 50 else 8
    summaries = {s: {n: summary(v, samples) for n, v in t.items()} for s, t in sections.items()}
    return {"torch": torch.__version__, "losses": losses} | summaries


def text_of(fixture: dict[str, Any]) -> str:
    """JSON with one line a tensor, so that a change shows where it is."""
    compact = {"separators": (",", ":")}
    parts = []
    for key, value in fixture.items():
        if isinstance(value, dict):
            rows = (f"{json.dumps(n)}:{json.dumps(v, **compact)}" for n, v in value.items())
            parts.append(f"{json.dumps(key)}:{{\n" + ",\n".join(rows) + "}")
        else:
            parts.append(f"{json.dumps(key)}:{json.dumps(value, **compact)}")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", default=MODELS, metavar="ID", help="default: all eight")
    parser.add_argument("--models", type=Path, default=HERE.parents[2] / "models")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the fixtures")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.set_default_dtype(torch.float64)
    for name in arguments.ids:
        fixture = make_fixture(read_model(arguments.models / f"{name}.toml"))
        path = arguments.out / f"{name}.json"
        path.write_text(text_of(fixture))
        print(f"{path.name}: {path.stat().st_size} bytes, losses {fixture['losses']}")


if __name__ == "__main__":
    main()
