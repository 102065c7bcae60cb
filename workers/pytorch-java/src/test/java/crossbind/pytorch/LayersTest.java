package crossbind.pytorch;

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

/** Forms of layers that the blocks of DJL do not have by themselves. */
@EnabledIfEnvironmentVariable(named = "PYTORCH_LIBRARY_PATH", matches = ".+", disabledReason = "no libtorch")
class LayersTest {
    private static final String WINDOW = "\"kernel\": [2, 2], \"stride\": [1, 1], \"pads\": ";

    private static Probed probe(Graph graph, Tensor input, boolean train) {
        Map<String, Tensor> targets = new HashMap<>();
        if (train) {
            targets.put("label", Tensor.of(new long[input.rows()], input.rows()));
        }
        try (TrainingModel model = new TrainingModel(Models.job(graph))) {
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

    @Test
    void anAveragePoolNeedNotCountItsPads() {
        String fields = "{%s[1, 0, 1, 0], \"count_padding\": %s}";
        float[] counted = {0.75f, 2.5f, 1.75f};
        assertArrayEquals(counted, ofPicture("avg_pool2d", fields.formatted(WINDOW, true), 1, 3, 1));
        float[] alone = {1.5f, 2.5f, 3.5f};
        assertArrayEquals(alone, ofPicture("avg_pool2d", fields.formatted(WINDOW, false), 1, 3, 1));
    }

    @Test
    void unevenPadsComeBeforeTheLayer() {
        float[] alone = {1, 1.5f, 2, 2.5f};
        assertArrayEquals(alone, ofPicture(
                "avg_pool2d", "{" + WINDOW + "[1, 1, 0, 0], \"count_padding\": false}", 1, 2, 2));
        float[] largest = {1, 2, 3, 4};
        assertArrayEquals(largest, ofPicture("max_pool2d", "{" + WINDOW + "[1, 1, 0, 0]}", 1, 2, 2));
        float[] framed = {7, 7, 1, 2, 3, 4};
        assertArrayEquals(framed, ofPicture("pad", "{\"pads\": [1, 0, 0, 0], \"value\": 7}", 1, 3, 2));
    }

    @Test
    void thePaddingOfAnEmbeddingLearnsNothing() {
        Graph.Node node = Models.node("embedding",
                "{\"kind\": \"token\", \"entries\": 3, \"width\": 2, \"padding_index\": 1}",
                new long[] {2, 2}, Models.weight("weight", 3, 2));
        Graph.Node last = new Graph.Node(
                "last", "select_last", List.of("layer"), new long[] {2}, Models.json("{}"),
                List.of());
        Graph graph = new Graph("g", List.of(new Graph.Input("x", new long[] {2}, OptionalLong.of(3))),
                List.of(node, last), "cross_entropy", Models.json(Models.SGD));
        Tensor tokens = Tensor.of(new long[] {0, 1, 1, 2}, 2, 2);
        float[] gradient = probe(graph, tokens, true).tensors().get("layer.weight.grad").floats();
        assertArrayEquals(new float[4], Arrays.copyOf(gradient, 4));
        assertEquals(0, gradient[4] + gradient[5], 1e-7);
        assertTrue(gradient[4] < 0);
    }

    @Test
    void oneBiasIsAllThatCounts() {
        Graph.Node node = Models.node("gru",
                "{\"hidden\": 1, \"biases\": 1}", new long[] {2, 1}, Models.weight("weight_ih", 3, 1),
                Models.weight("weight_hh", 3, 1), Models.bias("bias_ih", 3));
        Graph graph = Models.graph(node, OptionalLong.empty(), Models.SGD, 2, 1);
        try (TrainingModel model = new TrainingModel(Models.job(graph))) {
            assertEquals(9, model.parameters());
            assertEquals(3, model.export().size());
        }
    }

    @Test
    void aLayerThatIsNotThereIsUnsupported() {
        Graph.Node node = Models.node("conv3d", "{}", new long[] {1});
        Unsupported error = assertThrows(Unsupported.class, () -> Layers.build(node));
        assertEquals("layer conv3d", error.getMessage());
    }
}
