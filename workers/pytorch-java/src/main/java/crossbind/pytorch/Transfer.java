package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import crossbind.worker.Tensor;

/** Tensors of the host as arrays of DJL, and back. */
final class Transfer {
    private Transfer() {}

    /** In memory of PyTorch's own: what DJL creates of a buffer stays in Java's. */
    static NDArray toArray(Tensor tensor, NDManager manager) {
        DataType type = tensor.type() == Tensor.Type.I64 ? DataType.INT64 : DataType.FLOAT32;
        try (NDArray view = manager.create(tensor.bytes(), new Shape(tensor.shape()), type)) {
            return view.duplicate();
        }
    }

    static Tensor toTensor(NDArray array) {
        Tensor.Type type = array.getDataType() == DataType.INT64 ? Tensor.Type.I64 : Tensor.Type.F32;
        return new Tensor(type, array.getShape().getShape(), array.toByteBuffer());
    }
}
