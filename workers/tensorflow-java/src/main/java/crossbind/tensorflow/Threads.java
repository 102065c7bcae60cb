package crossbind.tensorflow;

import org.tensorflow.proto.ConfigProto;

/** The threads of TensorFlow: once it has begun to compute it keeps those that it began with. */
final class Threads {
    private int first; // 0: it has not begun

    /** All of them compute one operation, and one operation at a time. */
    ConfigProto config(int threads) {
        if (first == 0) {
            first = threads;
        }
        return ConfigProto.newBuilder()
                .setIntraOpParallelismThreads(first)
                .setInterOpParallelismThreads(1)
                .build();
    }

    /** How many there are. */
    int count() {
        return first;
    }
}
