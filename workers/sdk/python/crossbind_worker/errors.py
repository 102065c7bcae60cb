"""The two ways in which a request ends without being done."""


class Unsupported(Exception):  # noqa: N818 - named as the replies are
    """The binding lacks a feature, named in the words of the graph: "layer gru"."""


class Failed(Exception):  # noqa: N818
    """The request failed, with one of the protocol's codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def bad_request(message: str) -> Failed:
    return Failed("bad_request", message)


def bad_input(message: str) -> Failed:
    return Failed("bad_input", message)


def not_finite(message: str) -> Failed:
    return Failed("not_finite", message)
