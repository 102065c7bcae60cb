package crossbind.tensorflow;

import crossbind.worker.Unsupported;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.tensorflow.Operand;
import org.tensorflow.ndarray.index.Indices;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TBool;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;

/** Every layer type of the graph, made of operations that have a gradient in the native library. */
final class Layers {
    private static final Map<String, Function<Layer, Operand<TFloat32>>> BUILDERS = Map.ofEntries(
            Map.entry("add", layer -> layer.tf().math.add(layer.x(0), layer.x(1))),
            Map.entry("avg_pool2d", Windows::averagePool),
            Map.entry("batchnorm", Norms::batch),
            Map.entry("conv2d", Windows::convolution),
            Map.entry("dropout", Layers::dropout),
            Map.entry("embedding", Layers::embedding),
            Map.entry("flatten", Layers::flatten),
            Map.entry("gelu", Layers::gelu),
            Map.entry("global_avg_pool", layer ->
                    layer.tf().math.mean(layer.x(), layer.tf().constant(new int[] {1, 2}))),
            Map.entry("gru", Recurrent::gru),
            Map.entry("layernorm", Norms::layer),
            Map.entry("linear", Layers::linear),
            Map.entry("lstm", Recurrent::lstm),
            Map.entry("max_pool2d", Windows::maxPool),
            Map.entry("pad", layer -> Windows.padded(layer, layer.x(), layer.node().number("value"))),
            Map.entry("relu", layer -> layer.tf().nn.relu(layer.x())),
            Map.entry("select_last", layer ->
                    layer.tf().stridedSlice(layer.x(), Indices.all(), Indices.at(-1))),
            Map.entry("self_attention", SelfAttention::build),
            Map.entry("sigmoid", layer -> layer.tf().math.sigmoid(layer.x())),
            Map.entry("softmax", layer -> overLast(layer, layer.tf().nn::softmax)),
            Map.entry("tanh", layer -> layer.tf().math.tanh(layer.x())));

    private Layers() {}

    static Operand<TFloat32> build(Layer layer) {
        Function<Layer, Operand<TFloat32>> builder = BUILDERS.get(layer.node().type());
        if (builder == null) {
            throw new Unsupported("layer " + layer.node().type());
        }
        return builder.apply(layer);
    }

    private static Operand<TFloat32> dropout(Layer layer) {
        return layer.pass().drops()
                ? layer.pass().dropout().apply(layer.x(), layer.node().fields().get("rate").doubleValue())
                : layer.tf().identity(layer.x());
    }

    private static Operand<TFloat32> gelu(Layer layer) {
        Ops tf = layer.tf();
        Operand<TFloat32> x = layer.x();
        Operand<TFloat32> area = tf.math.erf(tf.math.mul(x, layer.constant(Math.sqrt(0.5))));
        Operand<TFloat32> half = tf.math.mul(x, layer.constant(0.5));
        return tf.math.mul(half, tf.math.add(area, layer.constant(1)));
    }

    /** In the order of the graph, so that what comes after has its weights in that order too. */
    private static Operand<TFloat32> flatten(Layer layer) {
        return layer.reshaped(canonical(layer, layer.x()), layer.node().output());
    }

    private static Operand<TFloat32> linear(Layer layer) {
        return overLast(layer, x -> {
            long[] shape = x.shape().asArray().clone();
            shape[shape.length - 1] = layer.node().integer("out_features");
            return affine(layer, x, "weight", "bias", shape);
        });
    }

    /** A product over the last dimension of the samples. */
    static Operand<TFloat32> affine(
            Layer layer, Operand<TFloat32> x, String weight, String bias, long... shape) {
        Ops tf = layer.tf();
        Operand<TFloat32> rows = layer.reshaped(x, x.shape().get(-1));
        Operand<TFloat32> product = tf.linalg.matMul(rows, layer.parameter(weight));
        if (layer.has(bias)) {
            product = tf.nn.biasAdd(product, layer.parameter(bias));
        }
        return tf.reshape(product, tf.constant(shape));
    }

    private static Operand<TFloat32> embedding(Layer layer) {
        Ops tf = layer.tf();
        Operand<TInt64> ids = layer.integers(0);
        boolean padded = layer.node().fields().path("padding_index").isNumber();
        if (layer.node().word("kind").equals("position")) {
            if (padded) {
                throw new Unsupported("embedding.padding_index"); // of positions
            }
            Operand<TInt64> positions = tf.range(
                    tf.constant(0L), tf.constant(layer.node().output()[0]), tf.constant(1L));
            ids = tf.math.add(tf.zerosLike(ids), positions);
        }
        Operand<TFloat32> rows = tf.gather(layer.parameter("weight"), ids, tf.constant(0));
        if (!padded) {
            return rows;
        }
        Operand<TInt64> padding = tf.constant((long) layer.node().integer("padding_index"));
        Operand<TBool> isPadding = tf.expandDims(tf.math.equal(ids, padding), tf.constant(-1));
        return tf.select(isPadding, tf.stopGradient(rows), rows);
    }

    /** Of a function of the graph's last dimension, which for images is not the last one here. */
    static Operand<TFloat32> overLast(Layer layer, UnaryOperator<Operand<TFloat32>> function) {
        Operand<TFloat32> output = function.apply(canonical(layer, layer.x()));
        return layer.node().output().length == 3 ? images(layer, output) : output;
    }

    private static Operand<TFloat32> canonical(Layer layer, Operand<TFloat32> x) {
        return x.shape().numDimensions() == 4
                ? layer.tf().linalg.transpose(x, layer.tf().constant(new int[] {0, 3, 1, 2}))
                : x;
    }

    private static Operand<TFloat32> images(Layer layer, Operand<TFloat32> x) {
        return layer.tf().linalg.transpose(x, layer.tf().constant(new int[] {0, 2, 3, 1}));
    }
}
