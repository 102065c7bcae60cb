package crossbind.tensorflow;

import crossbind.worker.Graph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.Operand;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TFloat32;

/**
 * One way forward through the graph. Passes of other modes have operations of their own, and the same
 * variables.
 */
final class Pass {

    /** A probe goes forward like training, but without dropout. */
    enum Mode { TRAINING, PROBING, EVALUATION }

    private final Ops tf;
    private final Variables variables;
    private final Mode mode;
    private final Dropout dropout;
    private final List<Op> updates = new ArrayList<>();
    private final Map<String, Operand<TFloat32>> outputs = new LinkedHashMap<>();

    Pass(Ops tf, Variables variables, Mode mode, Dropout dropout) {
        this.tf = tf;
        this.variables = variables;
        this.mode = mode;
        this.dropout = dropout;
    }

    /** The same for all layers of a graph. */
    Pass through(Graph graph, Map<String, ? extends Operand<?>> inputs) {
        Map<String, Operand<?>> known = new HashMap<>(inputs);
        for (Graph.Node node : graph.nodes()) {
            List<Operand<?>> given = new ArrayList<>();
            node.inputs().forEach(name -> given.add(known.get(name)));
            Operand<TFloat32> output = Layers.build(new Layer(this, node, given));
            known.put(node.name(), output);
            outputs.put(node.name(), output);
        }
        return this;
    }

    Ops tf() {
        return tf;
    }

    Variables variables() {
        return variables;
    }

    boolean trains() {
        return mode != Mode.EVALUATION;
    }

    boolean drops() {
        return mode == Mode.TRAINING;
    }

    Dropout dropout() {
        return dropout;
    }

    /** What changes running statistics. */
    List<Op> updates() {
        return updates;
    }

    /** By layer. */
    Map<String, Operand<TFloat32>> outputs() {
        return outputs;
    }
}
