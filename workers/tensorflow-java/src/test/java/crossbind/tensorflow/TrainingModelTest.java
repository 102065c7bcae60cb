package crossbind.tensorflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import crossbind.worker.Failed;
import crossbind.worker.Graph;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.State;
import crossbind.worker.Model.Step;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import crossbind.worker.testing.Models;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.RawTensor;

/** Steps of small models, by hand. */
@EnabledIfEnvironmentVariable(
        named = "TENSORFLOW_LIBRARY_PATH", matches = ".+", disabledReason = "no libtensorflow_cc")
class TrainingModelTest {
    private static Graph linear(String optimizer) {
        Graph.Node node = Models.node("linear", "{\"out_features\": 2, \"bias\": true}", new long[] {2},
                Models.weight("weight", 2, 1), Models.bias("bias", 2));
        return Models.graph(node, OptionalLong.empty(), optimizer, 1);
    }

    private static TrainingModel model(Graph graph) {
        return new TrainingModel(Models.job(graph), new Threads());
    }

    private static Samples one(float x) {
        return new Samples(
                Map.of("x", Tensor.of(new float[] {x}, 1, 1)), Map.of("label", Tensor.of(new long[] {0}, 1)));
    }

    private static float[] of(Probed probed, String name) {
        return probed.tensors().get("layer." + name).floats();
    }

    @Test
    void theMomentumIsThatOfTheProtocolAndBiasesAreSpared() {
        Graph graph = linear(Models.SGD);
        try (TrainingModel model = model(graph)) {
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
    void decayMayBeDecoupled() {
        Graph graph = linear(Models.SGD.replace("coupled", "decoupled"));
        try (TrainingModel model = model(graph)) {
            Probed probed = model.probe(new State(Models.weights(graph), Map.of(), 1), one(1), true);
            float[] gradient = of(probed, "weight.grad");
            assertArrayEquals(gradient, of(probed, "weight.state.m"), 1e-6f);
            float[] updated = {-0.5f * gradient[0], 0.1f - 0.5f * (gradient[1] + 0.25f * 0.1f)};
            assertArrayEquals(updated, of(probed, "weight"), 1e-6f);
        }
    }

    @Test
    void adamFoldsTheCorrectionIntoTheRate() {
        Graph graph = linear(Models.ADAM);
        try (TrainingModel model = model(graph)) {
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
    void onlyForwardWithoutTraining() {
        Graph graph = linear(Models.SGD);
        try (TrainingModel model = model(graph)) {
            Probed probed = model.probe(new State(Models.weights(graph), Map.of(), 1), one(2), false);
            assertArrayEquals(new float[] {0, 0.3f}, of(probed, "out"), 1e-6f);
            assertNull(probed.tensors().get("layer.weight.grad"));
        }
    }

    @Test
    void threadsThatAreThereAlreadyAreSaid() {
        Threads threads = new Threads();
        threads.config(3);
        try (TrainingModel model = new TrainingModel(Models.job(linear(Models.SGD)), threads)) {
            assertEquals(Map.of("threads", 3), model.effective());
        }
    }

    @Test
    void everyStepGivesItsMemoryBack() {
        try (TrainingModel model = model(linear(Models.ADAM))) {
            model.reset();
            long before = 0;
            for (int step = 0; step < 4; step++) {
                try (Batch batch = Batch.of(one(1))) {
                    Step<RawTensor> done = model.forward(batch);
                    model.backward();
                    assertEquals(4, done.loss().numBytes());
                    assertEquals(1, model.predict(batch).shape().get(0));
                }
                model.release();
                before = step == 0 ? Pointer.totalCount() : before;
                assertEquals(before, Pointer.totalCount());
            }
        }
    }

    @Test
    void aFolderThatIsNoSavedModelIsBadInput(@TempDir Path folder) {
        Failed error = assertThrows(Failed.class, () ->
                new SerializedModel(Models.job(linear(Models.SGD)), folder, new Threads()));
        assertEquals("bad_input", error.code());
    }
}
