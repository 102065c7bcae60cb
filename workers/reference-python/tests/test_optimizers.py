import unittest
from collections.abc import Sequence
from math import sqrt
from typing import Any

import context  # noqa: F401
import numpy as np

from optimizers import UPDATES, moment_names


def after(fields: dict[str, Any], gradients: Sequence[float], role: str = "weight", **decay: Any) -> float:
    """A parameter that was 1, after steps with these gradients."""
    fields = {**fields, "weight_decay": {"value": 0.0, "form": "coupled", "applies_to": "all", **decay}}
    parameter = np.ones(1)
    moments = {name: np.zeros(1) for name in moment_names(fields)}
    for number, gradient in enumerate(gradients, 1):
        UPDATES[fields["type"]](fields, role, number, parameter, np.array([gradient]), moments)
    return parameter.item()


SGD = {"type": "sgd", "rate": 0.1, "momentum": 0.0}
MOMENTUM = {"type": "sgd", "rate": 0.1, "momentum": 0.5}
ADAM = {
    "type": "adam",
    "rate": 0.01,
    "beta1": 0.9,
    "beta2": 0.999,
    "epsilon": 1e-2,
    "epsilon_form": "outside",
}


class OptimizerTest(unittest.TestCase):
    def test_sgd_subtracts_the_rate_times_the_gradient(self) -> None:
        self.assertAlmostEqual(after(SGD, [2]), 0.8)

    def test_momentum_starts_with_the_gradient_itself(self) -> None:
        self.assertAlmostEqual(after(MOMENTUM, [2, 1]), 1 - 0.2 - 0.1 * (0.5 * 2 + 1))

    def test_coupled_decay_goes_through_momentum_decoupled_does_not(self) -> None:
        self.assertAlmostEqual(after(MOMENTUM, [0, 0], value=0.2), 0.98 - 0.1 * (0.5 * 0.2 + 0.2 * 0.98))
        self.assertAlmostEqual(after(MOMENTUM, [0, 0], value=0.2, form="decoupled"), 0.98**2)

    def test_decay_may_spare_biases(self) -> None:
        for role, expected in (("weight", 0.95), ("bias", 1.0)):
            self.assertAlmostEqual(after(SGD, [0], role, value=0.5, applies_to="weights"), expected)

    def test_both_forms_of_adam_follow_their_formula(self) -> None:
        m, v = 0.03, 0.001 * 0.09
        outside = 0.01 * (m / 0.1) / (sqrt(v / 0.001) + 1e-2)
        hat = 0.01 * sqrt(0.001) / 0.1 * m / (sqrt(v) + 1e-2)
        self.assertAlmostEqual(after(ADAM, [0.3]), 1 - outside, places=14)
        self.assertAlmostEqual(after({**ADAM, "epsilon_form": "hat"}, [0.3]), 1 - hat, places=14)
        self.assertGreater(abs(outside - hat), 1e-3)

    def test_the_second_step_of_adam_is_corrected_by_its_number(self) -> None:
        first = after(ADAM, [0.3])
        m, v = (0.9 * 0.03 + 0.1 * 0.1) / (1 - 0.9**2), (0.999 * 9e-5 + 0.001 * 0.01) / (1 - 0.999**2)
        self.assertAlmostEqual(after(ADAM, [0.3, 0.1]), first - 0.01 * m / (sqrt(v) + 1e-2), places=14)

    def test_moments_are_those_that_the_optimizer_has(self) -> None:
        self.assertEqual([moment_names(each) for each in (SGD, MOMENTUM, ADAM)], [(), ("m",), ("m", "v")])


if __name__ == "__main__":
    unittest.main()
