"""Gradients through a whole network, in float64."""

import unittest

import context
import numpy as np

from crossbind_worker.graph import parse_graph
from losses import cross_entropy
from network import Network


class InputGradientTest(unittest.TestCase):
    def setUp(self) -> None:
        random = np.random.default_rng(3)
        self.graph = parse_graph(context.lenet5())
        self.network = Network(self.graph)
        self.parameters = {
            each.name: random.normal(size=each.shape) / np.prod(each.shape) ** 0.3
            for each in self.graph.parameters
        }
        self.images = random.normal(size=(3, 1, 28, 28))
        self.targets = {"label": np.array([1, 9, 4])}

    def loss(self, images: np.ndarray) -> tuple[float, np.ndarray]:
        """And its gradient at the outputs."""
        loss, gradient = cross_entropy(self.network.forward({"image": images}, self.parameters), self.targets)
        return float(loss), gradient

    def test_the_gradient_of_an_input_is_that_of_central_differences(self) -> None:
        gradient = self.network.input_gradients(self.loss(self.images)[1])["image"]
        self.assertEqual(gradient.shape, self.images.shape)
        for place in ((0, 0, 0, 0), (0, 0, 14, 9), (1, 0, 27, 27), (2, 0, 3, 20)):
            nudge = np.zeros(self.images.shape)
            nudge[place] = 1e-6
            slope = (self.loss(self.images + nudge)[0] - self.loss(self.images - nudge)[0]) / 2e-6
            self.assertAlmostEqual(gradient[place] / slope, 1, delta=1e-5)

    def test_those_of_the_parameters_are_the_same_whether_or_not_inputs_have_theirs(self) -> None:
        _, gradient = self.loss(self.images)
        before = self.network.backward(gradient)
        self.network.input_gradients(gradient)
        for name, values in self.network.backward(gradient).items():
            np.testing.assert_array_equal(values, before[name])

    def test_an_input_that_nobody_reads_has_the_gradient_0(self) -> None:
        members = context.lenet5()
        members["inputs"].append({"name": "unread", "type": "float", "shape": [2]})
        network = Network(parse_graph(members))
        inputs = {"image": self.images, "unread": np.ones((3, 2))}
        outputs = network.forward(inputs, self.parameters)
        np.testing.assert_array_equal(
            network.input_gradients(np.ones_like(outputs))["unread"], np.zeros((3, 2))
        )


if __name__ == "__main__":
    unittest.main()
