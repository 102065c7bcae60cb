package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.Batch;
import ai.djl.training.dataset.RandomAccessDataset;
import ai.djl.training.dataset.Sampler;
import ai.djl.translate.Batchifier;
import ai.djl.translate.TranslateException;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

/** Batches of one split, by either loader. */
final class Loader {
    private final ArrayDataset dataset;
    private final boolean idiomatic;

    Loader(Samples samples, boolean idiomatic, NDManager manager) {
        this.dataset = new ArrayDataset.Builder()
                .setData(arrays(samples.inputs().values(), manager))
                .optLabels(arrays(samples.targets().values(), manager))
                .setSampling(1, false) // the builder wants one; each epoch has its own
                .build();
        this.idiomatic = idiomatic;
    }

    /** The order as DJL's samplers give it. */
    private record Given(List<long[]> order) implements Sampler {
        @Override
        public Iterator<List<Long>> sample(RandomAccessDataset dataset) {
            return order.stream().map(ids -> LongStream.of(ids).boxed().toList()).iterator();
        }

        @Override
        public int getBatchSize() {
            return order.get(0).length;
        }
    }

    /** All samples as one batch. */
    static Batch whole(Samples samples, NDManager manager) {
        NDManager own = manager.newSubManager();
        NDList data = new NDList(arrays(samples.inputs().values(), own));
        NDList labels = new NDList(arrays(samples.targets().values(), own));
        int size = (int) data.head().size(0);
        return new Batch(own, data, labels, size, Batchifier.STACK, Batchifier.STACK, 0, size);
    }

    /** A batch is closed when the next one is asked for. */
    Iterator<Batch> batches(List<long[]> order, NDManager manager) {
        Iterator<Batch> batches = idiomatic
                ? iterated(new Given(order), manager)
                : order.stream().map(ids -> dataset.getByIndices(manager.newSubManager(), ids)).iterator();
        return new Iterator<>() {
            private Batch last;

            @Override
            public boolean hasNext() {
                return batches.hasNext();
            }

            @Override
            public Batch next() {
                if (last != null) {
                    last.close();
                }
                last = batches.next();
                return last;
            }
        };
    }

    /** What a user of DJL writes. */
    private Iterator<Batch> iterated(Sampler sampler, NDManager manager) {
        try {
            return dataset.getData(manager, sampler, null).iterator();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (TranslateException error) {
            throw new IllegalStateException(error);
        }
    }

    private static NDArray[] arrays(Collection<Tensor> tensors, NDManager manager) {
        return tensors.stream().map(tensor -> Transfer.toArray(tensor, manager)).toArray(NDArray[]::new);
    }
}
