package crossbind.tensorflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Model.Mode;
import crossbind.worker.Model.Probed;
import crossbind.worker.Tensor;
import crossbind.worker.Unsupported;
import crossbind.worker.testing.LayerCases;
import crossbind.worker.testing.Models;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Forms of layers that the operations of TensorFlow do not have by themselves. */
@EnabledIfEnvironmentVariable(
        named = "TENSORFLOW_LIBRARY_PATH", matches = ".+", disabledReason = "no libtensorflow_cc")
class LayersTest implements LayerCases {
    @Override
    public Model<?, ?> model(Job job) {
        return new TrainingModel(job, new Threads());
    }

    private static Graph gru(int steps) {
        String fields = """
                {"hidden": 1, "biases": 1, "reset_after": true, "recurrent_activation": "sigmoid"}""";
        Graph.Node node = Models.node("gru", fields,
                new long[] {steps, 1}, Models.weight("weight_ih", 3, 1), Models.weight("weight_hh", 3, 1),
                Models.bias("bias_ih", 3));
        return Models.graph(Models.SGD, List.of(Models.real("x", steps, 1)),
                node, Models.after("layer", "select_last", "{}", 1));
    }

    @Test
    void whatDoesNotCountItsPadsHasAGradient() {
        String fields = "{\"kernel\": [1, 1], \"stride\": [1, 1], \"pads\": [0, 0, 0, 0]}";
        Graph.Node conv = Models.node("conv2d", fields,
                new long[] {2, 1, 1}, Models.weight("weight", 2, 1, 1, 1));
        Graph.Node pool = Models.after("layer", "avg_pool2d",
                "{" + WINDOW + "[1, 0, 0, 1], \"count_padding\": false}", 2, 1, 1);
        Graph graph = Models.graph(Models.SGD, List.of(Models.real("x", 1, 1, 1)),
                conv, pool, Models.after("avg_pool2d", "flatten", "{}", 2));
        Map<String, Tensor> found = probe(graph, Tensor.of(new float[] {3}, 1, 1, 1, 1), Mode.STEP).tensors();
        assertArrayEquals(new float[] {0, 0.3f}, found.get("avg_pool2d.out").floats(), 1e-6f);
        double wrong = 1 / (1 + Math.exp(-0.3)); // how much the second class is believed; the first is right
        float[] gradient = {(float) (-3 * wrong), (float) (3 * wrong)};
        assertArrayEquals(gradient, found.get("layer.weight.grad").floats(), 1e-6f);
    }

    @Test
    void padsOfTensorFlowAreBehind() {
        float[] same = {4, 4, 4, 4};
        assertArrayEquals(same, ofPicture("max_pool2d", "{" + WINDOW + "[0, 0, 1, 1]}", 1, 2, 2));
    }

    @Test
    void theNewVarianceHasEitherForm() {
        assertEquals(0.5 * 0.1 + 0.5 * 2, newVariance("unbiased"), 1e-6);
        assertEquals(0.5 * 0.1 + 0.5 * 1, newVariance("biased"), 1e-6);
    }

    /** Of a feature that is 1 in one sample and 3 in the other; before, its variance is 0.1. */
    private float newVariance(String form) {
        String fields = """
                {"features": 2, "epsilon": 1e-3, "momentum": 0.5, "running_variance": "%s"}""";
        Graph graph = Models.graph(Models.SGD, List.of(Models.real("x", 2)),
                Models.batchnorm("x", fields.formatted(form), 2));
        Probed probed = probe(graph, Tensor.of(new float[] {0, 1, 0, 3}, 2, 2), Mode.STEP);
        return probed.tensors().get("norm.running_var").floats()[1];
    }

    @Test
    void aLongRecurrentLayerInfersButDoesNotTrain() {
        assertEquals(33, probe(gru(33), Tensor.of(new float[33], 1, 33, 1), Mode.EVALUATION)
                .tensors().get("layer.out").count());
        assertTrue(probe(gru(32), Tensor.of(new float[32], 1, 32, 1), Mode.STEP)
                .tensors().containsKey("layer.weight_hh.grad"));
        Unsupported error = assertThrows(Unsupported.class,
                () -> probe(gru(33), Tensor.of(new float[33], 1, 33, 1), Mode.STEP));
        assertEquals("while gradient", error.getMessage());
    }
}
