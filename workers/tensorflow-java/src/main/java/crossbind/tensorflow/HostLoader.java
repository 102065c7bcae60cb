package crossbind.tensorflow;

import crossbind.worker.Graph;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import java.util.List;
import java.util.stream.Stream;
import org.tensorflow.RawTensor;
import org.tensorflow.ndarray.buffer.ByteDataBuffer;
import org.tensorflow.ndarray.buffer.DataBuffers;

/** What users of TensorFlow in Java write: samples are arrays of the host, and copied into a new tensor. */
final class HostLoader extends Loader {
    private final Graph graph;
    private final List<Tensor> tensors;

    HostLoader(Graph graph, Samples samples) {
        this.graph = graph;
        Samples converted = Batch.inNativeLayout(samples);
        tensors = Stream.of(converted.inputs(), converted.targets())
                .flatMap(each -> each.values().stream())
                .toList();
    }

    @Override
    protected Batch load(long[] ids) {
        return Batch.of(graph, tensors.stream().map(tensor -> rows(tensor, ids)).toList());
    }

    private static RawTensor rows(Tensor from, long[] ids) {
        long[] shape = from.shape();
        shape[0] = ids.length;
        RawTensor rows = Transfer.empty(from.type(), shape);
        ByteDataBuffer source = DataBuffers.of(from.bytes());
        ByteDataBuffer target = rows.data();
        long size = target.size() / ids.length;
        for (int row = 0; row < ids.length; row++) {
            source.slice(ids[row] * size, size).copyTo(target.offset(row * size), size);
        }
        return rows;
    }
}
