"""Every layer's pullback against central differences, in float64."""

import unittest
from collections.abc import Callable, Sequence

import context  # noqa: F401
import numpy as np

from layers import LAYERS, Array, Fields
from losses import cross_entropy


def differences(function: Callable[[], float], values: Array) -> Array:
    """The gradient of a function of `values`, which it reads anew at each call."""
    gradient, width = np.zeros_like(values), 1e-6
    for index in np.ndindex(values.shape):
        kept = values[index]
        values[index] = kept + width
        above = function()
        values[index] = kept - width
        gradient[index] = (above - function()) / (2 * width)
        values[index] = kept
    return gradient


WINDOWS = (
    {"kernel": [2, 2], "stride": [2, 2], "pads": [0, 0, 0, 0]},
    {"kernel": [3, 2], "stride": [1, 2], "pads": [1, 0, 2, 1]},
    {"kernel": [2, 3], "stride": [3, 1], "pads": [0, 2, 1, 0]},  # leaves a row that no window meets
    {"kernel": [1, 1], "stride": [2, 2], "pads": [0, 0, 0, 0]},
)


class GradientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.random = np.random.default_rng(3)

    def check(self, kind: str, fields: Fields, *shapes: Sequence[int]) -> None:
        arrays = [self.random.normal(size=shape) for shape in shapes]
        out, pullback = LAYERS[kind](fields, *arrays)
        weights = self.random.normal(size=out.shape)
        passed, gradients = pullback(weights, True)
        assert passed is not None
        for array, gradient in zip(arrays, (passed, *gradients), strict=True):
            expected = differences(lambda: float((LAYERS[kind](fields, *arrays)[0] * weights).sum()), array)
            np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)

    def test_conv2d(self) -> None:
        for fields in WINDOWS:
            with self.subTest(fields):
                self.check("conv2d", fields, (2, 3, 6, 5), (4, 3, *fields["kernel"]), (4,))
                self.check("conv2d", fields, (2, 3, 6, 5), (4, 3, *fields["kernel"]))

    def test_pools(self) -> None:
        for fields in WINDOWS:
            with self.subTest(fields):
                self.check("max_pool2d", fields, (2, 3, 6, 5))
                self.check("avg_pool2d", {**fields, "count_padding": True}, (2, 3, 6, 5))
        self.check("avg_pool2d", {**WINDOWS[1], "count_padding": False}, (2, 3, 6, 5))

    def test_linear(self) -> None:
        self.check("linear", {}, (3, 4), (5, 4), (5,))
        self.check("linear", {}, (3, 2, 4), (5, 4))

    def test_the_rest(self) -> None:
        self.check("pad", {"pads": [1, 2, 0, 3], "value": 0.5}, (2, 1, 3, 4))
        for kind in ("flatten", "tanh", "relu", "sigmoid"):
            self.check(kind, {}, (2, 3, 4))

    def test_cross_entropy(self) -> None:
        outputs, targets = self.random.normal(size=(4, 5)), {"label": np.array([0, 4, 2, 2])}
        expected = differences(lambda: float(cross_entropy(outputs, targets)[0]), outputs)
        np.testing.assert_allclose(cross_entropy(outputs, targets)[1], expected, rtol=1e-6, atol=1e-8)


class ConventionTest(unittest.TestCase):
    def test_convolution_is_the_sum_that_its_definition_says(self) -> None:
        random = np.random.default_rng(5)
        x, weight, bias = random.normal(size=(2, 3, 5, 6)), random.normal(size=(4, 3, 3, 2)), np.arange(4.0)
        fields = {"kernel": [3, 2], "stride": [2, 1], "pads": [1, 0, 2, 1]}
        out, _ = LAYERS["conv2d"](fields, x, weight, bias)
        padded = np.zeros((2, 3, 8, 7))
        padded[:, :, 1:6, 0:6] = x
        self.assertEqual(out.shape, (2, 4, 3, 6))
        for n, o, row, column in np.ndindex(out.shape):
            window = padded[n, :, 2 * row : 2 * row + 3, column : column + 2]
            self.assertAlmostEqual(out[n, o, row, column], (window * weight[o]).sum() + bias[o], places=12)

    def test_ties_of_a_max_pool_go_to_the_first_in_row_major_order(self) -> None:
        fields = {"kernel": [2, 2], "stride": [2, 2], "pads": [0, 0, 0, 0]}
        x = np.array([[[[0.0, 1.0], [1.0, 1.0]]]])
        out, pullback = LAYERS["max_pool2d"](fields, x)
        self.assertEqual(out.item(), 1)
        np.testing.assert_array_equal(pullback(np.ones_like(out), True)[0], [[[[0, 1], [0, 0]]]])

    def test_padding_never_wins_a_max_pool(self) -> None:
        fields = {"kernel": [2, 2], "stride": [2, 2], "pads": [1, 1, 1, 1]}
        out, pullback = LAYERS["max_pool2d"](fields, np.full((1, 1, 2, 2), -5.0))
        np.testing.assert_array_equal(out, np.full((1, 1, 2, 2), -5.0))
        np.testing.assert_array_equal(pullback(np.ones_like(out), True)[0], np.ones((1, 1, 2, 2)))

    def test_a_nan_goes_through_a_max_pool(self) -> None:
        fields = {"kernel": [1, 2], "stride": [1, 2], "pads": [0, 0, 0, 0]}
        out, _ = LAYERS["max_pool2d"](fields, np.array([[[[np.nan, 1.0, 1.0, np.nan]]]]))
        self.assertTrue(np.isnan(out).all())

    def test_average_pools_count_padding_or_not(self) -> None:
        fields = {"kernel": [2, 2], "stride": [2, 2], "pads": [1, 1, 1, 1]}
        ones = np.ones((1, 1, 2, 2), np.float32)
        for count, value in ((True, 0.25), (False, 1.0)):
            out, _ = LAYERS["avg_pool2d"]({**fields, "count_padding": count}, ones)
            np.testing.assert_array_equal(out, np.full((1, 1, 2, 2), value, np.float32), strict=True)

    def test_the_slope_of_relu_at_zero_is_zero(self) -> None:
        _, pullback = LAYERS["relu"]({}, np.zeros(1))
        self.assertEqual(pullback(np.ones(1), True)[0], 0)

    def test_sigmoid_and_cross_entropy_stand_large_values(self) -> None:
        with np.errstate(over="raise", invalid="raise"):
            out, _ = LAYERS["sigmoid"]({}, np.array([-1e4, 0, 1e4], np.float32))
            loss, _ = cross_entropy(np.array([[1e4, -1e4]], np.float32), {"label": np.array([0])})
        np.testing.assert_array_equal(out, [0, 0.5, 1])
        self.assertEqual(loss, 0)

    def test_float32_stays_float32(self) -> None:
        x = np.ones((2, 1, 4, 4), np.float32)
        window = {"kernel": [2, 2], "stride": [2, 2], "pads": [1, 1, 1, 1], "count_padding": False}
        parameters = {
            "conv2d": [np.ones((3, 1, 2, 2), np.float32), np.ones(3, np.float32)],
            "linear": [np.ones((3, 4), np.float32), np.ones(3, np.float32)],
        }
        for kind, layer in LAYERS.items():
            out, pullback = layer({**window, "value": 0.5}, x, *parameters.get(kind, []))
            passed, gradients = pullback(np.ones_like(out), True)
            for array in (out, passed, *gradients):
                self.assertEqual(np.asarray(array).dtype, np.float32, kind)


if __name__ == "__main__":
    unittest.main()
