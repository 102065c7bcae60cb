package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.nn.transformer.ScaledDotProductAttentionBlock;
import crossbind.worker.Graph;
import java.util.List;
import java.util.stream.Stream;

/** DJL's attention, with the graph's mask of steps to keep. */
final class SelfAttention {
    /** What DJL adds to scores that do not count: its exponential is 0 in float32. */
    private static final float DROPPED = -100_000f;

    private SelfAttention() {}

    static Layers.Layer build(Graph.Node node) {
        ScaledDotProductAttentionBlock attention = ScaledDotProductAttentionBlock.builder()
                .setEmbeddingSize(node.integer("width"))
                .setHeadCount(node.integer("heads"))
                .optAttentionProbsDropoutProb(0)
                .build();
        Stream<Linear> projections = Stream.of(
                attention.getQueryProjection(),
                attention.getKeyProjection(),
                attention.getValueProjection(),
                attention.getResultProjection());
        List<Parameter> parameters = projections
                .flatMap(projection -> projection.getParameters().values().stream())
                .toList();
        Block block = node.inputs().size() == 1
                ? attention
                : new SequentialBlock().add(SelfAttention::withOffsets).add(attention);
        return new Layers.Layer(block, parameters);
    }

    /** DJL takes what has four dimensions, here [batch, heads, from, to], as offsets of the scores. */
    private static NDList withOffsets(NDList inputs) {
        NDArray keep = inputs.get(1);
        NDArray offsets = keep.eq(0).toType(DataType.FLOAT32, false).mul(DROPPED);
        return new NDList(inputs.get(0), offsets.reshape(keep.size(0), 1, 1, keep.size(1)));
    }
}
