"""A worker's main loop: one request after the other, each with exactly one reply."""

import os
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from .connection import Connection, connect
from .data import Data, open_data, read_order, read_parameters, require
from .errors import Failed, Unsupported, bad_request
from .hello import Hello
from .inference import infer
from .model import Build, Job, Model, Queryable, Serializable
from .model_file import ModelFile
from .probing import probe
from .querying import query
from .reporter import Reporter
from .requests import Infer, Prepare, Probe, Query, Request, Serialize, Train, parse_request
from .serializing import serialize
from .training import train

PROTOCOL = 1


class _Dispatcher:
    """Knows what the worker was prepared with."""

    def __init__(self, build: Build, hello: Hello) -> None:
        self._build = build
        self._hello = hello
        self._prepared: tuple[Job, Model[Any, Any]] | None = None

    def perform(self, request: Request, reporter: Reporter) -> dict[str, Any]:
        if isinstance(request, Prepare):
            return self._prepare(request)
        if self._prepared is None:
            raise bad_request(f"'{type(request).__name__.lower()}' came before 'prepare' was done")
        job, model = self._prepared
        match request:
            case Train():
                self._hello.check_training(job.graph)
                self._hello.check_training_accuracy(job.settings)
                return train(job, model, request, reporter)
            case Infer():
                return infer(job, model, request, reporter)
            case Probe():
                if request.mode == "train":
                    self._hello.check_training(job.graph)
                return probe(job, model, request)
            case Query():
                self._hello.check_query(job.graph, request.gradients)
                if not isinstance(model, Queryable):
                    raise Unsupported("queries")
                return query(job, model, request)
            case Serialize():
                written = self._hello.format_written(request.format)
                if not isinstance(model, Serializable):
                    raise Unsupported("serialization")
                if request.training or request.optimizer:
                    self._hello.check_training(job.graph)
                return serialize(job, model, request, written)

    def _prepare(self, request: Prepare) -> dict[str, Any]:
        self._prepared = None
        self._hello.check_settings(request.settings)
        if request.serialized is None:
            if request.settings.variant == "savedmodel":
                raise Unsupported("variant savedmodel without a serialized model")
            self._hello.check_layers(request.graph)
            job = _read(request, None)
        else:
            read = self._hello.format_read(request.format)
            job = _read(request, ModelFile(request.serialized, read))
        model = self._build(job)
        self._prepared = (job, model)
        effective = {**self._hello.departures(job.graph), **model.effective}
        return {"parameters": model.parameters, "effective": effective}


def _read(request: Prepare, serialized: ModelFile | None) -> Job:
    graph, settings = request.graph, request.settings
    weights = read_parameters(request.weights, graph)[0] if request.weights else {}
    data = open_data(request.data, graph) if request.data else Data(None, None)
    order = None
    if request.order:
        order = read_order(request.order, settings.epochs, require(data.train, "training").size)
    return Job(graph, weights, serialized, data, order, settings, request.scratch)


def _perform(dispatcher: _Dispatcher, message: Mapping[str, Any], reporter: Reporter) -> dict[str, Any]:
    """The reply to a request, whatever happens."""
    try:
        return {"type": "done", **dispatcher.perform(parse_request(message), reporter)}
    except Unsupported as error:
        return {"type": "unsupported", "feature": str(error)}
    except Failed as error:
        return _failed(error)
    except MemoryError as error:
        return _failed(Failed("out_of_memory", str(error) or "out of memory"))
    except Exception as error:
        traceback.print_exc()
        return _failed(Failed("internal", f"{type(error).__name__}: {error}"))


def _failed(error: Failed) -> dict[str, Any]:
    return {"type": "failed", "code": error.code, "message": str(error)}


def _answer(dispatcher: _Dispatcher, message: Mapping[str, Any], connection: Connection) -> None:
    request_id = message.get("id")

    def event(kind: str, **members: Any) -> None:
        connection.send({"type": kind, "id": request_id, **members})

    reply = _perform(dispatcher, message, Reporter(event, lambda: connection.cancelled(request_id)))
    connection.finished(request_id)
    try:
        connection.send({**reply, "id": request_id})
    except Failed as error:  # the reply holds a number that is not finite
        connection.send({**_failed(error), "id": request_id})


def serve(build: Build, hello: Hello) -> int:
    """Speaks for a binding until crossbind says bye; the exit status of the worker."""
    endpoint = os.environ.get("CROSSBIND_ENDPOINT")
    if not endpoint:
        print(
            "worker: CROSSBIND_ENDPOINT is not set; crossbind sets it when it starts a worker",
            file=sys.stderr,
        )
        return 2
    try:
        connection = Connection(connect(endpoint))
    except (OSError, ValueError) as error:
        print(f"worker: cannot connect to {endpoint}: {error}", file=sys.stderr)
        return 1
    connection.send(
        {
            "type": "hello",
            "protocol": PROTOCOL,
            "token": os.environ.get("CROSSBIND_TOKEN", ""),
            "binding": hello.binding,
            "versions": hello.versions,
            "capabilities": hello.capabilities,
        }
    )
    dispatcher = _Dispatcher(build, hello)
    while (message := connection.next())["type"] != "bye":
        if message["type"] != "welcome":
            _answer(dispatcher, message, connection)
    if reason := message.get("reason"):
        print(f"worker: crossbind said bye: {reason}", file=sys.stderr)
    connection.close()
    return 0
