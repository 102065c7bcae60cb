"""Members of JSON objects, checked. Whatever is wrong is the sender's mistake: bad_request."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .errors import bad_request

LARGEST_INTEGER = 2**53 - 1

Kind = TypeVar("Kind")


def _member(members: Mapping[str, Any], key: str, kind: type[Kind], word: str) -> Kind:
    value = members.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise bad_request(f"'{key}' is missing or not {word}")
    return value


def text(members: Mapping[str, Any], key: str) -> str:
    return _member(members, key, str, "a text")


def truth(members: Mapping[str, Any], key: str) -> bool:
    return _member(members, key, bool, "true or false")


def mapping(members: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return _member(members, key, dict, "an object")


def sequence(members: Mapping[str, Any], key: str) -> Sequence[Any]:
    return _member(members, key, list, "a list")


def integer(members: Mapping[str, Any], key: str, least: int = 0, most: int = LARGEST_INTEGER) -> int:
    value = _member(members, key, int, "an integer")
    if not least <= value <= most:
        raise bad_request(f"'{key}' is {value}, not from {least} to {most}")
    return value


def word(members: Mapping[str, Any], key: str, words: Sequence[str]) -> str:
    value = text(members, key)
    if value not in words:
        raise bad_request(f"'{key}' is '{value}', not one of {', '.join(words)}")
    return value


def texts(members: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = sequence(members, key)
    if not all(isinstance(value, str) for value in values):
        raise bad_request(f"'{key}' is not a list of texts")
    return tuple(values)


def objects(members: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], ...]:
    values = sequence(members, key)
    if not all(isinstance(value, dict) for value in values):
        raise bad_request(f"'{key}' is not a list of objects")
    return tuple(values)


def shape(members: Mapping[str, Any], key: str) -> tuple[int, ...]:
    values = sequence(members, key)
    if not all(type(value) is int and 0 < value <= LARGEST_INTEGER for value in values):
        raise bad_request(f"'{key}' is not a list of integers from 1")
    return tuple(values)
