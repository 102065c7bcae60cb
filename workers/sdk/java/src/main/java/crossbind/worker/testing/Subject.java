package crossbind.worker.testing;

import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Model.Mode;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.State;
import crossbind.worker.Tensor;
import java.util.Map;

/** A worker as its tests see it. The cases of this package are tests that it inherits. */
public interface Subject {

    /** A model that is built from parameters. */
    Model<?, ?> model(Job job);

    /** The first step of a new model, or its evaluation; all labels are 0. */
    default Probed probe(Graph graph, Tensor x, Mode mode) {
        try (Model<?, ?> model = model(Models.job(graph))) {
            return model.probe(
                    new State(Models.weights(graph), Map.of(), 1),
                    Models.batch(x, mode.trains() ? new long[x.rows()] : new long[0]),
                    mode);
        }
    }
}
