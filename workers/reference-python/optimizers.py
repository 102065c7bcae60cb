"""Optimizers, in every form that the graph may ask for. They change parameters and moments in place."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray
Fields = Mapping[str, Any]
Moments = dict[str, Array]  # "m" and "v", as far as the optimizer has them


def _decay(fields: Fields, role: str, form: str) -> float:
    decay = fields["weight_decay"]
    applies = decay["applies_to"] == "all" or role == "weight"
    return decay["value"] if applies and decay["form"] == form else 0.0


def sgd(fields: Fields, role: str, number: int, parameter: Array, gradient: Array, moments: Moments) -> None:
    rate = fields["rate"]
    step = gradient + _decay(fields, role, "coupled") * parameter
    if "m" in moments:
        moments["m"] *= fields["momentum"]
        moments["m"] += step
        step = moments["m"]
    parameter -= rate * step + rate * _decay(fields, role, "decoupled") * parameter


def adam(fields: Fields, role: str, number: int, parameter: Array, gradient: Array, moments: Moments) -> None:
    rate, beta1, beta2, epsilon = (fields[key] for key in ("rate", "beta1", "beta2", "epsilon"))
    correction1, correction2 = 1 - beta1**number, 1 - beta2**number
    step = gradient + _decay(fields, role, "coupled") * parameter
    m, v = moments["m"], moments["v"]
    m *= beta1
    m += (1 - beta1) * step
    v *= beta2
    v += (1 - beta2) * step * step
    if fields["epsilon_form"] == "outside":
        change = rate * (m / correction1) / (np.sqrt(v / correction2) + epsilon)
    else:
        change = rate * correction2**0.5 / correction1 * m / (np.sqrt(v) + epsilon)
    parameter -= change + rate * _decay(fields, role, "decoupled") * parameter


UPDATES: Mapping[str, Callable[[Fields, str, int, Array, Array, Moments], None]] = {"sgd": sgd, "adam": adam}


def moment_names(fields: Fields) -> tuple[str, ...]:
    if fields["type"] == "adam":
        return ("m", "v")
    return ("m",) if fields.get("momentum") else ()
