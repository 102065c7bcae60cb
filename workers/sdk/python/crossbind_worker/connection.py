"""The line to crossbind: connects, reads lines in a thread of its own, writes them."""

import json
import os
import queue
import socket
import sys
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from .errors import Failed, not_finite

LONGEST_LINE = 8 * 2**20


def connect(endpoint: str) -> socket.socket:
    """To `unix:PATH` or `tcp:HOST:PORT`."""
    kind, _, address = endpoint.partition(":")
    if kind == "unix" and address:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(address)
        return connection
    host, _, port = address.rpartition(":")
    if kind != "tcp" or not host or not port.isdecimal():
        raise ValueError(f"'{endpoint}' is neither unix:PATH nor tcp:HOST:PORT")
    connection = socket.create_connection((host.removeprefix("[").removesuffix("]"), int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


class Connection:
    """Requests are taken from it one by one; `cancel` is noted at once, and `bye` or the end of the
    connection while a request runs ends the process: nobody waits for the answer."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._pending: set[Any] = set()
        self._cancelled: set[Any] = set()
        threading.Thread(target=self._read, name="reader", daemon=True).start()

    def next(self) -> dict[str, Any]:
        return self._requests.get()

    def finished(self, request_id: Any) -> None:
        self._pending.discard(request_id)
        self._cancelled.discard(request_id)

    def cancelled(self, request_id: Any) -> bool:
        return request_id in self._cancelled

    def send(self, message: Mapping[str, Any]) -> None:
        try:
            line = json.dumps(message, allow_nan=False).encode() + b"\n"
        except ValueError as error:
            raise not_finite(f"a number of '{message['type']}' is not finite") from error
        if len(line) > LONGEST_LINE:
            raise Failed(
                "internal", f"'{message['type']}' has {len(line)} bytes, a line at most {LONGEST_LINE}"
            )
        try:
            self._socket.sendall(line)
        except OSError:
            _end(1, "crossbind is gone")

    def close(self) -> None:
        self._socket.close()

    def _read(self) -> None:
        try:
            with self._socket.makefile("rb") as lines:
                while line := lines.readline(LONGEST_LINE):
                    message = _parse(line)
                    self._take(message)
                    if message["type"] == "bye":
                        return
            _end(1, "crossbind closed the connection")
        except (OSError, ValueError, RecursionError) as error:
            _end(1, f"the connection is broken: {error}")

    def _take(self, message: dict[str, Any]) -> None:
        kind, request_id = message["type"], message.get("id")
        if kind == "cancel":
            self._cancelled.update(self._pending & {request_id})
        elif kind == "bye" and self._pending:
            _end(0, "crossbind said bye during a request")
        else:
            if kind not in ("welcome", "bye"):
                self._pending.add(request_id)
            self._requests.put(message)


def _parse(line: bytes) -> dict[str, Any]:
    if not line.endswith(b"\n"):
        raise ValueError("a line is too long or has no end")
    message = json.loads(line, parse_constant=_refuse_constant)
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ValueError("a line is not a JSON object with a 'type'")
    if not isinstance(message.get("id"), int) and message["type"] not in ("welcome", "bye"):
        raise ValueError("a request has no integer 'id'")
    return message


def _end(code: int, reason: str) -> NoReturn:
    """From any thread. The interpreter's own way would wait for the thread that computes."""
    print(f"worker: {reason}", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
