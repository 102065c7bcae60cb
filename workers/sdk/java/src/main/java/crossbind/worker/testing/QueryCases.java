package crossbind.worker.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import crossbind.worker.Graph;
import crossbind.worker.Model;
import crossbind.worker.Model.Answer;
import crossbind.worker.Samples;
import crossbind.worker.Split;
import crossbind.worker.Tensor;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Queries of a binding that gives gradients. */
public interface QueryCases extends Subject {
    long[] LABELS = {0, 1};

    /** With the weights 0 and 0.1 and the same biases. */
    @Test
    default void theGradientIsThatOfTheSumOverTheSamples() {
        try (Model<?, ?> model = model(Models.job(Models.linear(Models.SGD)))) {
            Samples two = Models.batch(Tensor.of(new float[] {2, 4}, 2, 1), LABELS);
            Answer answer = model.query(two, true);
            assertArrayEquals(new float[] {0, 0.3f, 0, 0.5f}, answer.outputs().floats(), 1e-6f);
            double first = 0.1 / (1 + Math.exp(-0.3));
            double second = -0.1 / (1 + Math.exp(0.5));
            float[] gradient = answer.gradients().get("x").floats();
            assertArrayEquals(new float[] {(float) first, (float) second}, gradient, 1e-6f);
            assertEquals(first, model.query(Models.one(2), true).gradients().get("x").floats()[0], 1e-6);
        }
    }

    @Test
    default void targetsMayBeMissingWithoutGradients() {
        try (Model<?, ?> model = model(Models.job(Models.linear(Models.SGD)))) {
            Answer answer = model.query(Models.batch(Tensor.of(new float[] {2}, 1, 1)), false);
            assertArrayEquals(new float[] {0, 0.3f}, answer.outputs().floats(), 1e-6f);
            assertEquals(Map.of(), answer.gradients());
        }
    }

    /** Norm and dropout would be others in training mode. */
    @Test
    default void theGradientOfAnImageIsThatOfEvaluation() {
        String norm = """
                {"features": 2, "epsilon": 0.5, "momentum": 0.5, "running_variance": "unbiased"}""";
        String convolution = """
                {"in_channels": 2, "out_channels": 2, "kernel": [2, 2], "stride": [1, 1],
                 "pads": [0, 0, 0, 0], "bias": false}""";
        Graph.Parameter kernels = new Graph.Parameter("conv.weight", new long[] {2, 2, 2, 2}, "weight", true);
        Graph graph = Models.graph(Models.SGD, List.of(Models.real("x", 2, 3, 3)),
                Models.batchnorm("x", norm, 2, 3, 3),
                new Graph.Node("conv", "conv2d", List.of("norm"), new long[] {2, 2, 2},
                        Models.json(convolution), List.of(kernels)),
                Models.after("conv", "tanh", "{}", 2, 2, 2),
                Models.after("tanh", "dropout", "{\"rate\": 0.5}", 2, 2, 2),
                Models.after("dropout", "flatten", "{}", 8),
                Models.classifier("flatten", 8));
        assertFiniteDifferences(graph, Map.of(), 2, 3, 3);
    }

    @Test
    default void integersHaveNoGradient() {
        Graph.Node attention = new Graph.Node(
                "layer", "self_attention", List.of("x", "keep"), new long[] {2, 2},
                Models.json("{\"width\": 2, \"heads\": 1}"),
                List.of(
                        Models.weight("query.weight", 2, 2), Models.bias("query.bias", 2),
                        Models.weight("key.weight", 2, 2), Models.bias("key.bias", 2),
                        Models.weight("value.weight", 2, 2), Models.bias("value.bias", 2),
                        Models.weight("output.weight", 2, 2), Models.bias("output.bias", 2)));
        Graph graph = Models.graph(Models.SGD,
                List.of(Models.real("x", 2, 2), Models.integers("keep", 2, 2)),
                attention, Models.after("layer", "flatten", "{}", 4), Models.classifier("flatten", 4));
        Tensor keep = Tensor.of(new long[] {1, 1, 1, 0}, 2, 2);
        assertFiniteDifferences(graph, Map.of("keep", keep), 2, 2);
    }

    /** Of two samples of that shape, and of other inputs that go with them. */
    private void assertFiniteDifferences(Graph graph, Map<String, Tensor> others, long... shape) {
        int size = 1;
        for (long each : shape) {
            size *= (int) each;
        }
        float[] x = new float[2 * size];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) Math.sin(i + 1);
        }
        try (Model<?, ?> model = model(Models.job(graph))) {
            Answer answer = model.query(batch(x, others, shape), true);
            assertEquals(Set.of("x"), answer.gradients().keySet());
            float[] gradient = answer.gradients().get("x").floats();
            for (int i = 0; i < x.length; i++) {
                float step = 0.01f;
                float before = x[i];
                x[i] = before + step;
                double up = loss(model, batch(x, others, shape));
                x[i] = before - step;
                double down = loss(model, batch(x, others, shape));
                x[i] = before;
                // Rounding of float32 over two steps, and a little of the curve.
                assertEquals((up - down) / (2 * step), gradient[i], 1e-4);
            }
        }
    }

    private static Samples batch(float[] x, Map<String, Tensor> others, long... shape) {
        long[] whole = new long[shape.length + 1];
        whole[0] = LABELS.length;
        System.arraycopy(shape, 0, whole, 1, shape.length);
        Map<String, Tensor> inputs = new LinkedHashMap<>();
        inputs.put("x", Tensor.of(x, whole));
        inputs.putAll(others);
        return new Samples(inputs, Models.batch(inputs.get("x"), LABELS).targets());
    }

    /** The sum over the samples, of two classes. */
    private static double loss(Model<?, ?> model, Samples batch) {
        float[] outputs = model.query(batch, false).outputs().floats();
        double sum = 0;
        for (int row = 0; row < LABELS.length; row++) {
            double right = outputs[2 * row + (int) LABELS[row]];
            double wrong = outputs[2 * row + 1 - (int) LABELS[row]];
            sum += Math.log1p(Math.exp(wrong - right));
        }
        return sum;
    }

    @Test
    default void aTrainingDoesNotNoticeQueries() {
        Split samples = new Split("train", 1, Models.one(1));
        try (Model<?, ?> model = model(Models.job(Models.linear(Models.SGD), samples))) {
            float[] alone = trained(model, samples, () -> { });
            float[] asked = trained(model, samples, () -> model.query(Models.one(3), true));
            assertArrayEquals(alone, asked);
            float[] outputs = model.query(Models.one(0), false).outputs().floats();
            assertArrayEquals(model.export().get("layer.bias").floats(), outputs);
        }
    }

    /** The weights after two steps. */
    private static <B, T> float[] trained(Model<B, T> model, Split split, Runnable between) {
        List<long[]> order = List.of(new long[] {0}, new long[] {0});
        model.reset();
        between.run();
        Iterator<B> batches = model.batches(split, order);
        for (int step = 0; step < order.size(); step++) {
            model.forward(batches.next());
            model.backward();
            between.run();
        }
        model.release();
        return model.export().get("layer.weight").floats();
    }
}
