package crossbind.worker.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import crossbind.worker.Graph;
import crossbind.worker.Model.Mode;
import crossbind.worker.Tensor;
import crossbind.worker.Unsupported;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Forms of layers that few frameworks have by themselves. */
public interface LayerCases extends Subject {
    String WINDOW = "\"kernel\": [2, 2], \"stride\": [1, 1], \"pads\": ";

    /** What a layer without parameters makes of the picture 1 2 / 3 4. */
    default float[] ofPicture(String type, String fields, long... output) {
        Graph graph = Models.graph(
                Models.SGD, List.of(Models.real("x", 1, 2, 2)), Models.node(type, fields, output));
        Tensor picture = Tensor.of(new float[] {1, 2, 3, 4}, 1, 1, 2, 2);
        return probe(graph, picture, Mode.EVALUATION).tensors().get("layer.out").floats();
    }

    @Test
    default void anAveragePoolNeedNotCountItsPads() {
        String fields = "{%s[1, 0, 1, 0], \"count_padding\": %s}";
        float[] counted = {0.75f, 2.5f, 1.75f};
        assertArrayEquals(counted, ofPicture("avg_pool2d", fields.formatted(WINDOW, true), 1, 3, 1));
        float[] alone = {1.5f, 2.5f, 3.5f};
        assertArrayEquals(alone, ofPicture("avg_pool2d", fields.formatted(WINDOW, false), 1, 3, 1));
    }

    @Test
    default void padsMayBeUneven() {
        float[] alone = {1, 1.5f, 2, 2.5f};
        assertArrayEquals(alone, ofPicture(
                "avg_pool2d", "{" + WINDOW + "[1, 1, 0, 0], \"count_padding\": false}", 1, 2, 2));
        float[] largest = {1, 2, 3, 4};
        assertArrayEquals(largest, ofPicture("max_pool2d", "{" + WINDOW + "[1, 1, 0, 0]}", 1, 2, 2));
        float[] framed = {7, 7, 1, 2, 3, 4};
        assertArrayEquals(framed, ofPicture("pad", "{\"pads\": [1, 0, 0, 0], \"value\": 7}", 1, 3, 2));
    }

    @Test
    default void thePaddingOfAnEmbeddingLearnsNothing() {
        Graph.Node node = Models.node("embedding",
                "{\"kind\": \"token\", \"entries\": 3, \"width\": 2, \"padding_index\": 1}",
                new long[] {2, 2}, Models.weight("weight", 3, 2));
        Graph graph = Models.graph(Models.SGD, List.of(Models.integers("x", 3, 2)),
                node, Models.after("layer", "select_last", "{}", 2));
        Tensor tokens = Tensor.of(new long[] {0, 1, 1, 2}, 2, 2);
        float[] gradient = probe(graph, tokens, Mode.STEP).tensors().get("layer.weight.grad").floats();
        assertArrayEquals(new float[4], Arrays.copyOf(gradient, 4));
        assertEquals(0, gradient[4] + gradient[5], 1e-7);
        assertTrue(gradient[4] < 0);
    }

    @Test
    default void aLayerThatIsNotThereIsUnsupported() {
        Unsupported error = assertThrows(Unsupported.class, () -> ofPicture("conv3d", "{}", 1));
        assertEquals("layer conv3d", error.getMessage());
    }
}
