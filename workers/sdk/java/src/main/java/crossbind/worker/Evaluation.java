package crossbind.worker;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** What a model is worth over a whole split, in evaluation mode; outside of every timer. */
record Evaluation(double accuracy, double loss) {

    static <B, T> Evaluation of(Job job, Model<B, T> model, Split split, Reporter reporter) {
        List<long[]> order = split.inFileOrder(job.settings().batchSize());
        try {
            Iterator<B> batches = model.batches(split, order);
            long correct = 0;
            double losses = 0;
            for (long[] ids : order) {
                Tensor outputs = model.toHost(model.predict(batches.next()));
                Map<String, long[]> labels = split.labels(ids);
                correct += Metrics.countCorrect(outputs, labels);
                losses += Losses.sum(job.graph().loss(), outputs, labels);
                reporter.checkCancelled();
            }
            return new Evaluation((double) correct / split.size(), losses / split.size());
        } finally {
            model.release();
        }
    }
}
