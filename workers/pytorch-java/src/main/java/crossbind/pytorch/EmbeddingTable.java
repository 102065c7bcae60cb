package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.nn.AbstractBlock;
import ai.djl.nn.Parameter;
import ai.djl.nn.core.Embedding;
import ai.djl.training.ParameterStore;
import ai.djl.util.PairList;
import com.fasterxml.jackson.databind.JsonNode;
import crossbind.worker.Graph;

/** DJL's embedding operator as a block; its own blocks embed words of a vocabulary, not numbers. */
final class EmbeddingTable extends AbstractBlock {
    private final Shape shape;
    private final boolean looksUpPositions;
    private final JsonNode paddingIndex; // null in JSON: there is none
    private final Parameter weight;

    EmbeddingTable(Graph.Node node) {
        shape = new Shape(node.integer("entries"), node.integer("width"));
        looksUpPositions = node.fields().get("kind").textValue().equals("position");
        paddingIndex = node.fields().path("padding_index");
        weight = addParameter(Parameter.builder().setName("weight").setType(Parameter.Type.WEIGHT).build());
    }

    @Override
    protected NDList forwardInternal(
            ParameterStore store, NDList inputs, boolean training, PairList<String, Object> params) {
        NDArray ids = looksUpPositions ? positions(inputs.head()) : inputs.head();
        NDArray table = store.getValue(weight, ids.getDevice(), training);
        NDArray rows = Embedding.embedding(ids, table, SparseFormat.DENSE).singletonOrThrow();
        return new NDList(training && paddingIndex.isNumber() ? withoutGradient(rows, ids) : rows);
    }

    private static NDArray positions(NDArray tokens) {
        NDArray one = tokens.getManager().arange(0, (int) tokens.size(1), 1, DataType.INT64);
        return one.broadcast(tokens.getShape());
    }

    /** The padding's row gets no gradient. */
    private NDArray withoutGradient(NDArray rows, NDArray ids) {
        NDArray isPadding = ids.eq(paddingIndex.longValue()).expandDims(-1).broadcast(rows.getShape());
        return NDArrays.where(isPadding, rows.stopGradient(), rows);
    }

    @Override
    protected void prepare(Shape[] inputShapes) {
        weight.setShape(shape);
    }

    @Override
    public Shape[] getOutputShapes(Shape[] inputShapes) {
        return new Shape[] {inputShapes[0].add(shape.get(1))};
    }
}
