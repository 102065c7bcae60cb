"""Side by side with the referee. The largest difference seen is 1.3e-5, and 6e-5 in resnet20 and
vgg16-bn-all, which have the most batch norms: that of Keras takes the difference of two products."""

import itertools
import unittest
from typing import ClassVar

import context
import keras
import numpy as np
import tensorflow as tf

from crossbind_worker.testing import Message
from worker_tests import agreement
from worker_tests.subject import weights

SGD: Message = {"type": "sgd", "rate": 0.1, "momentum": 0.9}
ADAM: Message = {
    "type": "adam", "rate": 0.1, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-3, "epsilon_form": "hat"
}  # fmt: skip


class AgreementTest(agreement.AgreementCase):
    subject = context.SUBJECT
    wider: ClassVar = dict.fromkeys(("resnet20", "vgg16-bn-all"), 3e-4)

    def test_decay_has_either_form_in_either_optimizer(self) -> None:
        for optimizer, form, applies_to in itertools.product(
            (SGD, ADAM), ("coupled", "decoupled"), ("all", "weights")
        ):
            graph, parameters = self.subject.graph("lenet1"), weights("lenet1")
            decay = {"value": 0.1, "form": form, "applies_to": applies_to}
            graph["optimizer"] = {**optimizer, "weight_decay": decay}
            self.prepare_both(graph, parameters)
            with self.subTest(optimizer=optimizer["type"], form=form, applies_to=applies_to):
                self.check(graph, *self.both(graph, parameters, "train"))

    def test_keras_squares_rows_of_a_gradient_before_it_adds_them_up(self) -> None:
        """Which is why the worker does it first; when this fails, it need not any more."""
        rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 0]), tf.constant([2, 1]))
        seconds = []
        for gradient in (rows, tf.convert_to_tensor(rows)):
            optimizer, variable = keras.optimizers.Adam(beta_2=0.0), keras.Variable([[0.0], [0.0]])
            optimizer.apply([gradient], [variable])
            seconds.append(float(optimizer._velocities[0][0, 0]))
        np.testing.assert_allclose(seconds, [1.0**2 + 2.0**2, (1.0 + 2.0) ** 2])


if __name__ == "__main__":
    unittest.main()
