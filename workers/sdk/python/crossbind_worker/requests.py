"""What crossbind asks for, typed. Members that are not known here are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from .errors import bad_request
from .graph import Graph, parse_graph
from .members import integer, mapping, text, texts, truth, word

Format = Literal["torchscript", "savedmodel", "onnx", "tflite", "tfjs", "coreml", "checkpoint"]
Precision = Literal["float32", "float16", "int8-weights", "int8"]


@dataclass(frozen=True)
class Settings:
    device: str
    loader: Literal["idiomatic", "resident"]
    variant: Literal["step", "fit", "savedmodel", "graph"]
    measure: Literal["total", "parts"]
    seed: int
    epochs: int
    batch_size: int
    training_accuracy: Literal["eval", "running"]
    evaluate: Literal["every_epoch", "last"]
    warmup_steps: int
    threads: int


@dataclass(frozen=True)
class DataFile:
    path: Path
    train_samples: int
    test_samples: int


@dataclass(frozen=True)
class Prepare:
    id: int
    graph: Graph
    weights: Path | None  # one of these two is there
    serialized: Path | None
    format: Format | None  # of what is serialized; None: the first that the worker reads
    data: DataFile | None
    order: Path | None
    settings: Settings
    scratch: Path


@dataclass(frozen=True)
class Train:
    id: int
    save: Path | None
    evidence: int


@dataclass(frozen=True)
class Infer:
    id: int
    outputs: Path | None


@dataclass(frozen=True)
class Probe:
    id: int
    mode: Literal["train", "eval"]
    step: int
    batch: Path
    dropout: bool  # whether it is on; in mode train only
    state: Path | None  # None in mode eval only: as prepared
    wanted: tuple[str, ...]
    directory: Path


@dataclass(frozen=True)
class Query:
    id: int
    batch: Path
    gradients: bool  # whether those of the inputs are wanted
    answer: Path


@dataclass(frozen=True)
class Serialize:
    id: int
    path: Path
    format: Format | None  # None: the first that the worker writes
    precision: Precision
    training: bool  # whether what is written must be trainable
    optimizer: bool  # whether its state is written too
    calibration: Path | None


Request = Prepare | Train | Infer | Probe | Query | Serialize


def _path(members: Mapping[str, Any], key: str) -> Path:
    value = text(members, key)
    if not value or "\0" in value:
        raise bad_request(f"'{key}' is not a path")
    return Path(value)


def _optional_path(members: Mapping[str, Any], key: str) -> Path | None:
    return _path(members, key) if key in members else None


def _flag(members: Mapping[str, Any], key: str) -> bool:
    return truth(members, key) if key in members else False


def _optional_format(members: Mapping[str, Any]) -> Format | None:
    return cast(Format, word(members, "format", get_args(Format))) if "format" in members else None


def _settings(members: Mapping[str, Any]) -> Settings:
    return Settings(
        device=text(members, "device"),
        loader=cast(Any, word(members, "loader", ("idiomatic", "resident"))),
        variant=cast(Any, word(members, "variant", ("step", "fit", "savedmodel", "graph"))),
        measure=cast(Any, word(members, "measure", ("total", "parts"))),
        seed=integer(members, "seed", 0, 2**32 - 1),
        epochs=integer(members, "epochs", 1),
        batch_size=integer(members, "batch_size", 1),
        training_accuracy=cast(Any, word(members, "training_accuracy", ("eval", "running"))),
        evaluate=cast(Any, word(members, "evaluate", ("every_epoch", "last"))),
        warmup_steps=integer(members, "warmup_steps"),
        threads=integer(members, "threads", 1),
    )


def _data(members: Mapping[str, Any]) -> DataFile:
    return DataFile(
        _path(members, "path"), integer(members, "train_samples"), integer(members, "test_samples")
    )


def _prepare(request_id: int, members: Mapping[str, Any]) -> Prepare:
    if ("weights" in members) == ("serialized" in members):
        raise bad_request("one of 'weights' and 'serialized' must be there, not both")
    return Prepare(
        id=request_id,
        graph=parse_graph(mapping(members, "graph")),
        weights=_optional_path(members, "weights"),
        serialized=_optional_path(members, "serialized"),
        format=_optional_format(members),
        data=_data(mapping(members, "data")) if "data" in members else None,
        order=_optional_path(members, "order"),
        settings=_settings(mapping(members, "settings")),
        scratch=_path(members, "scratch"),
    )


def _probe(request_id: int, members: Mapping[str, Any]) -> Probe:
    mode, dropout = word(members, "mode", ("train", "eval")), _flag(members, "dropout")
    if dropout and mode == "eval":
        raise bad_request("'dropout' is of mode train: evaluation has none")
    return Probe(
        id=request_id,
        mode=cast(Any, mode),
        step=integer(members, "step", 1),
        batch=_path(members, "batch"),
        dropout=dropout,
        state=_path(members, "state") if mode == "train" else _optional_path(members, "state"),
        wanted=texts(members, "wanted"),
        directory=_path(members, "directory"),
    )


def _serialize(request_id: int, members: Mapping[str, Any]) -> Serialize:
    precision = word(members, "precision", get_args(Precision)) if "precision" in members else "float32"
    return Serialize(
        id=request_id,
        path=_path(members, "path"),
        format=_optional_format(members),
        precision=cast(Precision, precision),
        training=_flag(members, "training"),
        optimizer=_flag(members, "optimizer"),
        calibration=_optional_path(members, "calibration"),
    )


def parse_request(members: Mapping[str, Any]) -> Request:
    request_id = integer(members, "id")
    match text(members, "type"):
        case "prepare":
            return _prepare(request_id, members)
        case "train":
            evidence = integer(members, "evidence", -1) if "evidence" in members else 0
            return Train(request_id, _optional_path(members, "save"), evidence)
        case "infer":
            return Infer(request_id, _optional_path(members, "outputs"))
        case "probe":
            return _probe(request_id, members)
        case "query":
            gradients = _flag(members, "gradients")
            return Query(request_id, _path(members, "batch"), gradients, _path(members, "answer"))
        case "serialize":
            return _serialize(request_id, members)
        case other:
            raise bad_request(f"there is no request '{other}'")
