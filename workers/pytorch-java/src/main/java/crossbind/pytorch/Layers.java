package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.LambdaBlock;
import ai.djl.nn.Parameter;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.BatchNorm;
import ai.djl.nn.norm.Dropout;
import ai.djl.nn.norm.LayerNorm;
import ai.djl.nn.pooling.Pool;
import ai.djl.nn.recurrent.GRU;
import ai.djl.nn.recurrent.LSTM;
import ai.djl.nn.recurrent.RecurrentBlock;
import crossbind.worker.Graph;
import crossbind.worker.Unsupported;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Every layer type of the graph, with the block of DJL that a user would take for it. */
final class Layers {
    private static final Map<String, Function<Graph.Node, Layer>> BUILDERS = Map.ofEntries(
            Map.entry("add", node -> plain(new LambdaBlock(
                    inputs -> new NDList(inputs.get(0).add(inputs.get(1))), "add"))),
            Map.entry("avg_pool2d", Pools::average),
            Map.entry("batchnorm", Layers::batchnorm),
            Map.entry("conv2d", Layers::conv2d),
            Map.entry("dropout", node -> plain(
                    Dropout.builder().optRate(node.number("rate")).build())),
            Map.entry("embedding", node -> plain(new EmbeddingTable(node))),
            Map.entry("flatten", node -> plain(Blocks.batchFlattenBlock())),
            Map.entry("gelu", node -> plain(Activation.geluBlock())),
            Map.entry("global_avg_pool", node -> plain(Pool.globalAvgPool2dBlock())),
            Map.entry("gru", node -> recurrent(node, GRU.builder()
                    .setNumLayers(1).setStateSize(node.integer("hidden")).optBatchFirst(true).build())),
            Map.entry("layernorm", Layers::layernorm),
            Map.entry("linear", node -> plain(Linear.builder()
                    .setUnits(node.integer("out_features")).optBias(node.truth("bias")).build())),
            Map.entry("lstm", node -> recurrent(node, LSTM.builder()
                    .setNumLayers(1).setStateSize(node.integer("hidden")).optBatchFirst(true).build())),
            Map.entry("max_pool2d", Pools::max),
            Map.entry("pad", node -> plain(Pads.of(node).block(node.fields().get("value").doubleValue()))),
            Map.entry("relu", node -> plain(Activation.reluBlock())),
            Map.entry("select_last", node -> each(x -> x.get(new NDIndex(":, -1")))),
            Map.entry("self_attention", SelfAttention::build),
            Map.entry("sigmoid", node -> plain(Activation.sigmoidBlock())),
            Map.entry("softmax", node -> each(x -> x.softmax(-1))),
            Map.entry("tanh", node -> plain(Activation.tanhBlock())));

    /** A block, and its parameters in the order of the graph's. */
    record Layer(Block block, List<Parameter> parameters) {}

    private Layers() {}

    static Layer build(Graph.Node node) {
        Function<Graph.Node, Layer> builder = BUILDERS.get(node.type());
        if (builder == null) {
            throw new Unsupported("layer " + node.type());
        }
        return builder.apply(node);
    }

    /** A block whose parameters are the graph's, in the same order. */
    static Layer plain(Block block) {
        return new Layer(block, block.getParameters().values());
    }

    static Layer each(Function<NDArray, NDArray> function) {
        return plain(LambdaBlock.singleton(function));
    }

    private static Layer conv2d(Graph.Node node) {
        Pads pads = Pads.of(node);
        Conv2d.Builder builder = Conv2d.builder()
                .setFilters(node.integer("out_channels"))
                .setKernelShape(pair(node, "kernel"))
                .optStride(pair(node, "stride"))
                .optPadding(pads.isEven() ? pads.even() : new Shape(0, 0))
                .optDilation(new Shape(1, 1))
                .optGroups(1)
                .optBias(node.truth("bias"));
        return plain(pads.isEven() ? builder.build() : pads.before(0, builder.build()));
    }

    private static Layer batchnorm(Graph.Node node) {
        // The graph has the weight of the new value, DJL that of the old one.
        float momentum = (float) (1 - node.fields().get("momentum").doubleValue());
        return plain(BatchNorm.builder()
                .optAxis(1)
                .optEpsilon(node.number("epsilon"))
                .optMomentum(momentum)
                .optCenter(true)
                .optScale(true)
                .build());
    }

    private static Layer layernorm(Graph.Node node) {
        return plain(LayerNorm.builder()
                .axis(node.output().length) // the last one, behind the batch
                .optEpsilon(node.number("epsilon"))
                .optCenter(true)
                .optScale(true)
                .build());
    }

    private static Layer recurrent(Graph.Node node, RecurrentBlock block) {
        List<Parameter> parameters = block.getParameters().values();
        if (node.integer("biases") == 1) { // PyTorch has two or none: the second stays 0
            parameters.get(3).freeze(true);
            return new Layer(block, parameters.subList(0, 3));
        }
        return new Layer(block, parameters);
    }

    /** Two numbers, height and width. */
    static Shape pair(Graph.Node node, String field) {
        return new Shape(node.integers(field));
    }
}
