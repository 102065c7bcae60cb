package crossbind.tensorflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import crossbind.worker.Graph;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.State;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import crossbind.worker.Unsupported;
import crossbind.worker.testing.Models;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Forms of layers that the operations of TensorFlow do not have by themselves. */
@EnabledIfEnvironmentVariable(
        named = "TENSORFLOW_LIBRARY_PATH", matches = ".+", disabledReason = "no libtensorflow_cc")
class LayersTest {
    private static final String WINDOW = "\"kernel\": [2, 2], \"stride\": [1, 1], \"pads\": ";

    private static Probed probe(Graph graph, Tensor input, boolean train) {
        Map<String, Tensor> targets = new HashMap<>();
        if (train) {
            targets.put("label", Tensor.of(new long[input.rows()], input.rows()));
        }
        try (TrainingModel model = new TrainingModel(Models.job(graph), new Threads())) {
            Samples batch = new Samples(Map.of("x", input), targets);
            return model.probe(new State(Models.weights(graph), Map.of(), 1), batch, train);
        }
    }

    /** What a layer without parameters makes of the picture 1 2 / 3 4. */
    private static float[] ofPicture(String type, String fields, long... output) {
        Graph graph = Models.graph(
                Models.node(type, fields, output), OptionalLong.empty(), Models.SGD, 1, 2, 2);
        Tensor picture = Tensor.of(new float[] {1, 2, 3, 4}, 1, 1, 2, 2);
        return probe(graph, picture, false).tensors().get("layer.out").floats();
    }

    private static Graph gru(int steps) {
        String fields = """
                {"hidden": 1, "biases": 1, "reset_after": true, "recurrent_activation": "sigmoid"}""";
        Graph.Node node = Models.node("gru", fields,
                new long[] {steps, 1}, Models.weight("weight_ih", 3, 1), Models.weight("weight_hh", 3, 1),
                Models.bias("bias_ih", 3));
        Graph.Node last = new Graph.Node(
                "last", "select_last", List.of("layer"), new long[] {1}, Models.json("{}"), List.of());
        return new Graph("g", List.of(new Graph.Input("x", new long[] {steps, 1}, OptionalLong.empty())),
                List.of(node, last), "cross_entropy", Models.json(Models.SGD));
    }

    @Test
    void anAveragePoolNeedNotCountItsPads() {
        String fields = "{%s[1, 0, 1, 0], \"count_padding\": %s}";
        float[] counted = {0.75f, 2.5f, 1.75f};
        assertArrayEquals(counted, ofPicture("avg_pool2d", fields.formatted(WINDOW, true), 1, 3, 1));
        float[] alone = {1.5f, 2.5f, 3.5f};
        assertArrayEquals(alone, ofPicture("avg_pool2d", fields.formatted(WINDOW, false), 1, 3, 1));
    }

    @Test
    void whatDoesNotCountItsPadsHasAGradient() {
        String fields = "{\"kernel\": [1, 1], \"stride\": [1, 1], \"pads\": [0, 0, 0, 0]}";
        Graph.Node conv = Models.node("conv2d", fields,
                new long[] {2, 1, 1}, Models.weight("weight", 2, 1, 1, 1));
        Graph.Node pool = new Graph.Node("pool", "avg_pool2d", List.of("layer"), new long[] {2, 1, 1},
                Models.json("{" + WINDOW + "[1, 0, 0, 1], \"count_padding\": false}"), List.of());
        Graph.Node flat = new Graph.Node(
                "flat", "flatten", List.of("pool"), new long[] {2}, Models.json("{}"), List.of());
        Graph graph = new Graph("g",
                List.of(new Graph.Input("x", new long[] {1, 1, 1}, OptionalLong.empty())),
                List.of(conv, pool, flat), "cross_entropy", Models.json(Models.SGD));
        Map<String, Tensor> found = probe(graph, Tensor.of(new float[] {3}, 1, 1, 1, 1), true).tensors();
        assertArrayEquals(new float[] {0, 0.3f}, found.get("pool.out").floats(), 1e-6f);
        double wrong = 1 / (1 + Math.exp(-0.3)); // how much the second class is believed; the first is right
        float[] gradient = {(float) (-3 * wrong), (float) (3 * wrong)};
        assertArrayEquals(gradient, found.get("layer.weight.grad").floats(), 1e-6f);
    }

    @Test
    void padsThatAreNotTensorFlowsComeBeforeTheLayer() {
        float[] largest = {1, 2, 3, 4};
        assertArrayEquals(largest, ofPicture("max_pool2d", "{" + WINDOW + "[1, 1, 0, 0]}", 1, 2, 2));
        float[] same = {4, 4, 4, 4}; // those of TensorFlow, which are behind
        assertArrayEquals(same, ofPicture("max_pool2d", "{" + WINDOW + "[0, 0, 1, 1]}", 1, 2, 2));
        float[] framed = {7, 7, 1, 2, 3, 4};
        assertArrayEquals(framed, ofPicture("pad", "{\"pads\": [1, 0, 0, 0], \"value\": 7}", 1, 3, 2));
    }

    @Test
    void theNewVarianceHasEitherForm() {
        assertEquals(0.5 * 0.1 + 0.5 * 2, newVariance("unbiased"), 1e-6);
        assertEquals(0.5 * 0.1 + 0.5 * 1, newVariance("biased"), 1e-6);
    }

    /** Of a feature that is 1 in one sample and 3 in the other; before, its variance is 0.1. */
    private static float newVariance(String form) {
        String fields = """
                {"features": 2, "epsilon": 1e-3, "momentum": 0.5, "running_variance": "%s"}""";
        Graph.Node node = Models.node("batchnorm", fields.formatted(form),
                new long[] {2}, Models.weight("weight", 2), Models.bias("bias", 2),
                new Graph.Parameter("layer.running_mean", new long[] {2}, "running_mean", false),
                new Graph.Parameter("layer.running_var", new long[] {2}, "running_variance", false));
        Graph graph = Models.graph(node, OptionalLong.empty(), Models.SGD, 2);
        Probed probed = probe(graph, Tensor.of(new float[] {0, 1, 0, 3}, 2, 2), true);
        return probed.tensors().get("layer.running_var").floats()[1];
    }

    @Test
    void thePaddingOfAnEmbeddingLearnsNothing() {
        Graph.Node node = Models.node("embedding",
                "{\"kind\": \"token\", \"entries\": 3, \"width\": 2, \"padding_index\": 1}",
                new long[] {2, 2}, Models.weight("weight", 3, 2));
        Graph.Node last = new Graph.Node(
                "last", "select_last", List.of("layer"), new long[] {2}, Models.json("{}"), List.of());
        Graph graph = new Graph("g", List.of(new Graph.Input("x", new long[] {2}, OptionalLong.of(3))),
                List.of(node, last), "cross_entropy", Models.json(Models.SGD));
        Tensor tokens = Tensor.of(new long[] {0, 1, 1, 2}, 2, 2);
        float[] gradient = probe(graph, tokens, true).tensors().get("layer.weight.grad").floats();
        assertArrayEquals(new float[4], Arrays.copyOf(gradient, 4));
        assertEquals(0, gradient[4] + gradient[5], 1e-7);
        assertTrue(gradient[4] < 0);
    }

    @Test
    void aLongRecurrentLayerInfersButDoesNotTrain() {
        assertEquals(33, probe(gru(33), Tensor.of(new float[33], 1, 33, 1), false)
                .tensors().get("layer.out").count());
        assertTrue(probe(gru(32), Tensor.of(new float[32], 1, 32, 1), true)
                .tensors().containsKey("layer.weight_hh.grad"));
        Unsupported error = assertThrows(Unsupported.class,
                () -> probe(gru(33), Tensor.of(new float[33], 1, 33, 1), true));
        assertEquals("while gradient", error.getMessage());
    }

    @Test
    void aLayerThatIsNotThereIsUnsupported() {
        Unsupported error = assertThrows(Unsupported.class, () -> ofPicture("conv3d", "{}", 1));
        assertEquals("layer conv3d", error.getMessage());
    }
}
