package crossbind.tensorflow;

import crossbind.worker.Tensor;
import java.nio.ByteBuffer;
import org.tensorflow.RawTensor;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.proto.DataType;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.family.TNumber;

/** Tensors of the host as tensors of TensorFlow, and back; copies, in the same layout. */
final class Transfer {
    private Transfer() {}

    static Class<? extends TNumber> type(Tensor.Type type) {
        return type == Tensor.Type.I64 ? TInt64.class : TFloat32.class;
    }

    static Tensor.Type type(RawTensor tensor) {
        return tensor.dataType() == DataType.DT_INT64 ? Tensor.Type.I64 : Tensor.Type.F32;
    }

    static RawTensor empty(Tensor.Type type, long... shape) {
        return org.tensorflow.Tensor.of(type(type), Shape.of(shape)).asRawTensor();
    }

    static RawTensor toNative(Tensor tensor) {
        RawTensor made = empty(tensor.type(), tensor.shape());
        ByteBuffer bytes = tensor.bytes();
        if (bytes.hasArray()) { // many times as fast
            made.data().write(bytes.array(), bytes.arrayOffset(), bytes.remaining());
        } else {
            DataBuffers.of(bytes).copyTo(made.data(), bytes.remaining());
        }
        return made;
    }

    static RawTensor scalar(long value) {
        return TInt64.scalarOf(value).asRawTensor();
    }

    static Tensor toHost(org.tensorflow.Tensor tensor) {
        RawTensor raw = tensor.asRawTensor();
        byte[] bytes = new byte[Math.toIntExact(raw.numBytes())];
        raw.data().read(bytes);
        return new Tensor(type(raw), raw.shape().asArray(), ByteBuffer.wrap(bytes));
    }
}
