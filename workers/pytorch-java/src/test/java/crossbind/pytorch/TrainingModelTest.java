package crossbind.pytorch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.Batch;
import crossbind.worker.Graph;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.State;
import crossbind.worker.Model.Step;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import crossbind.worker.testing.Models;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Steps of small models, by hand. */
@EnabledIfEnvironmentVariable(named = "PYTORCH_LIBRARY_PATH", matches = ".+", disabledReason = "no libtorch")
class TrainingModelTest {
    private static Graph linear(String optimizer) {
        Graph.Node node = Models.node("linear", "{\"out_features\": 2, \"bias\": true}", new long[] {2},
                Models.weight("weight", 2, 1), Models.bias("bias", 2));
        return Models.graph(node, OptionalLong.empty(), optimizer, 1);
    }

    private static Samples one(float x) {
        return new Samples(
                Map.of("x", Tensor.of(new float[] {x}, 1, 1)), Map.of("label", Tensor.of(new long[] {0}, 1)));
    }

    private static float[] of(Probed probed, String name) {
        return probed.tensors().get("layer." + name).floats();
    }

    @Test
    void theMomentumOfTheProtocolIsWithoutTheRate() {
        Graph graph = linear(Models.SGD);
        try (TrainingModel model = new TrainingModel(Models.job(graph))) {
            Map<String, Tensor> moments = Map.of("layer.weight.state.m", Tensor.of(new float[] {1, 0}, 2, 1));
            Probed probed = model.probe(new State(Models.weights(graph), moments, 2), one(1), true);
            float[] gradient = of(probed, "weight.grad");
            float[] momentum = {0.9f + gradient[0], gradient[1] + 0.25f * 0.1f}; // weights are 0 and 0.1
            assertArrayEquals(momentum, of(probed, "weight.state.m"), 1e-6f);
            float[] updated = {-0.5f * momentum[0], 0.1f - 0.5f * momentum[1]};
            assertArrayEquals(updated, of(probed, "weight"), 1e-6f);
            float[] spared = {gradient[0], gradient[1]}; // the bias does not decay; its gradient is the same
            assertArrayEquals(spared, of(probed, "bias.state.m"), 1e-6f);
        }
    }

    @Test
    void adamFoldsTheCorrectionIntoTheRate() {
        Graph graph = linear(Models.ADAM);
        try (TrainingModel model = new TrainingModel(Models.job(graph))) {
            Map<String, Tensor> moments = Map.of(
                    "layer.bias.state.m", Tensor.of(new float[] {0.2f, 0}, 2),
                    "layer.bias.state.v", Tensor.of(new float[] {0.4f, 0}, 2));
            Probed probed = model.probe(new State(Models.weights(graph), moments, 3), one(1), true);
            double gradient = of(probed, "bias.grad")[0];
            double first = 0.5 * 0.2 + 0.5 * gradient;
            double second = 0.75 * 0.4 + 0.25 * gradient * gradient;
            double rate = 0.1 * Math.sqrt(1 - Math.pow(0.75, 3)) / (1 - Math.pow(0.5, 3));
            assertEquals(first, of(probed, "bias.state.m")[0], 1e-6);
            assertEquals(second, of(probed, "bias.state.v")[0], 1e-6);
            assertEquals(-rate * first / (Math.sqrt(second) + 0.5), of(probed, "bias")[0], 1e-6);
        }
    }

    @Test
    void betasThatFloatChangesAreSaid() {
        Graph graph = linear(Models.ADAM.replace("0.75", "0.999"));
        try (TrainingModel model = new TrainingModel(Models.job(graph))) {
            assertEquals(Map.of("adam.beta2", (double) 0.999f), model.effective());
        }
    }

    @Test
    void onlyForwardWithoutTraining() {
        Graph graph = linear(Models.SGD);
        try (TrainingModel model = new TrainingModel(Models.job(graph))) {
            Probed probed = model.probe(new State(Models.weights(graph), Map.of(), 1), one(2), false);
            assertArrayEquals(new float[] {0, 0.3f}, of(probed, "out"), 1e-6f);
            assertNull(probed.tensors().get("layer.weight.grad"));
        }
    }

    /** The gradients of a softmax over two classes add up to exactly 0. */
    @Test
    void everyStepGivesItsMemoryBack() {
        try (TrainingModel model = new TrainingModel(Models.job(linear(Models.SGD)))) {
            model.reset();
            NDManager manager = model.manager;
            int before = 0;
            for (int step = 0; step < 4; step++) {
                try (Batch batch = Loader.whole(one(1), manager)) {
                    Step<NDArray> done = model.forward(batch);
                    model.backward();
                    assertEquals(1, done.loss().size());
                    assertEquals(1, model.predict(batch).size(0));
                }
                model.release();
                int arrays = manager.getManagedArrays().size();
                before = step == 0 ? arrays : before;
                assertEquals(before, arrays);
            }
        }
    }
}
