package crossbind.worker;

import java.util.Iterator;
import java.util.List;

/** The accuracy of a model over a whole split, in evaluation mode; outside of every timer. */
final class Evaluation {
    private Evaluation() {}

    static <B, T> double accuracy(Job job, Model<B, T> model, Split split, Reporter reporter) {
        List<long[]> order = split.inFileOrder(job.settings().batchSize());
        try {
            Iterator<B> batches = model.batches(split, order);
            long correct = 0;
            for (long[] ids : order) {
                Tensor outputs = model.toHost(model.predict(batches.next()));
                correct += Metrics.countCorrect(outputs, split.labels(ids));
                reporter.checkCancelled();
            }
            return (double) correct / split.size();
        } finally {
            model.release();
        }
    }
}
