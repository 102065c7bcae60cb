package crossbind.tensorflow;

import crossbind.worker.Graph;
import crossbind.worker.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.tensorflow.Operand;
import org.tensorflow.RawTensor;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.AssignVariableOp;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.core.VarHandleOp;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.family.TNumber;

/** All samples are in variables of TensorFlow; a batch is some of their rows. */
final class ResidentLoader extends Loader {
    private final Graph graph;
    private final org.tensorflow.Graph operations = new org.tensorflow.Graph();
    private final Session session;
    private final Ops tf = Ops.create(operations);
    private final Placeholder<TInt64> ids = tf.placeholder(TInt64.class);
    private final List<Operand<?>> rows = new ArrayList<>();

    ResidentLoader(Graph graph, Samples samples, ConfigProto config) {
        this.graph = graph;
        session = new Session(operations, config);
        try (Batch all = Batch.of(samples)) {
            Stream.of(all.inputs(), all.targets())
                    .flatMap(each -> each.values().stream())
                    .forEach(this::add);
        }
    }

    private void add(RawTensor values) {
        Class<? extends TNumber> type = Transfer.type(Transfer.type(values));
        Operand<?> variable = tf.varHandleOp(
                type, values.shape(), VarHandleOp.sharedName("samples" + rows.size()));
        Placeholder<? extends TNumber> given = tf.placeholder(type);
        AssignVariableOp assign = tf.assignVariableOp(variable, given);
        session.runner().feed(given, values).addTarget(assign).run().close();
        rows.add(tf.resourceGather(variable, ids, type));
    }

    @Override
    protected Batch load(long[] wanted) {
        try (TInt64 given = TInt64.vectorOf(wanted)) {
            Session.Runner runner = session.runner().feed(ids, given);
            rows.forEach(runner::fetch);
            Result result = runner.run(); // the batch closes what is in it
            return Batch.of(graph, StreamSupport.stream(result.spliterator(), false)
                    .map(each -> each.getValue().asRawTensor())
                    .toList());
        }
    }

    @Override
    public void close() {
        super.close();
        session.close();
        operations.close();
    }
}
