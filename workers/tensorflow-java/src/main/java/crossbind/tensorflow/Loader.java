package crossbind.tensorflow;

import java.util.Iterator;
import java.util.List;

/** Batches of one split. A batch is closed when the next one is asked for, the last one with the loader. */
abstract class Loader implements AutoCloseable {
    private Batch last;

    /** The samples with these ids, in this order. */
    protected abstract Batch load(long[] ids);

    Iterator<Batch> batches(List<long[]> order) {
        Iterator<long[]> ids = order.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return ids.hasNext();
            }

            @Override
            public Batch next() {
                release();
                last = load(ids.next());
                return last;
            }
        };
    }

    void release() {
        if (last != null) {
            last.close();
            last = null;
        }
    }

    @Override
    public void close() {
        release();
    }
}
