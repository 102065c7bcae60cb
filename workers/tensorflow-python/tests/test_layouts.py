"""The one place that knows both layouts."""

import unittest

import context
import numpy as np

from crossbind_worker import Node
from crossbind_worker.graph import parse_graph
from layouts import images_to_canonical, images_to_native, to_canonical, to_native


def nodes(model: str) -> tuple[Node, ...]:
    return parse_graph(context.SUBJECT.graph(model)).nodes


def counted(node: Node) -> dict[str, np.ndarray]:
    """Parameters of which every number is another one."""
    return {
        parameter.name: np.arange(np.prod(parameter.shape), dtype=np.float32).reshape(parameter.shape) + 1
        for parameter in node.parameters
    }


class LayoutTest(unittest.TestCase):
    def native(self, model: str, name: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        node = next(each for each in nodes(model) if each.name == name)
        return counted(node), to_native(node, counted(node))

    def test_back_and_forth_is_nothing(self) -> None:
        tests = map(context.SUBJECT.file, ("images.toml", "sequence.toml"))
        for model in ("bert-base", "resnet20", "gru", "grurb", *tests):
            for node in nodes(model):
                there_and_back = to_canonical(node, to_native(node, counted(node)))
                self.assertEqual(there_and_back.keys(), counted(node).keys())
                for name, values in counted(node).items():
                    np.testing.assert_array_equal(there_and_back[name], values)

    def test_kernels_are_hwio(self) -> None:
        canonical, native = self.native("lenet5", "conv2")
        self.assertEqual(native["kernel"].shape, (5, 5, 6, 16))
        self.assertEqual(native["kernel"][1, 2, 3, 4], canonical["conv2.weight"][4, 3, 1, 2])

    def test_gru_gates_are_z_r_h_and_its_biases_one_weight(self) -> None:
        canonical, native = self.native("gru", "gru")
        hidden = native["recurrent_kernel"].shape[0]
        reset, update = slice(hidden), slice(hidden, 2 * hidden)
        np.testing.assert_array_equal(native["kernel"][:, update], canonical["gru.weight_ih"][reset].T)
        np.testing.assert_array_equal(native["bias"][1, reset], canonical["gru.bias_hh"][update])

    def test_a_second_bias_that_the_graph_has_not_is_zero(self) -> None:
        native = self.native(context.SUBJECT.file("sequence.toml"), "gru")[1]
        self.assertTrue(native["bias"][0].all())
        self.assertFalse(native["bias"][1].any())

    def test_images_are_nhwc_and_nothing_else_is(self) -> None:
        images = np.arange(120).reshape(2, 3, 4, 5)
        self.assertEqual(images_to_native(images)[1, 3, 4, 2], images[1, 2, 3, 4])
        np.testing.assert_array_equal(images_to_canonical(images_to_native(images)), images)
        rows = images.reshape(2, 3, 20)
        self.assertIs(images_to_native(rows), rows)


if __name__ == "__main__":
    unittest.main()
