package crossbind.worker;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A dense tensor on the host: little-endian, row-major, at most 2 GiB. */
public final class Tensor {

    /** The types of the safetensors format that a tensor may have. */
    public enum Type {
        F64(8), F32(4), F16(2), BF16(2),
        I64(8), I32(4), I16(2), I8(1), U64(8), U32(4), U16(2), U8(1), BOOL(1);

        private final int size;

        Type(int size) {
            this.size = size;
        }

        int size() {
            return size;
        }
    }

    private final Type type;
    private final long[] shape;
    private final ByteBuffer bytes;

    /** A view of the bytes from the buffer's position to its limit. */
    public Tensor(Type type, long[] shape, ByteBuffer bytes) {
        this.type = type;
        this.shape = shape;
        this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    public static Tensor of(float[] values, long... shape) {
        ByteBuffer bytes = allocate(Type.F32, values.length);
        bytes.asFloatBuffer().put(values);
        return new Tensor(Type.F32, shape, bytes);
    }

    public static Tensor of(long[] values, long... shape) {
        ByteBuffer bytes = allocate(Type.I64, values.length);
        bytes.asLongBuffer().put(values);
        return new Tensor(Type.I64, shape, bytes);
    }

    private static ByteBuffer allocate(Type type, int count) {
        return ByteBuffer.allocate(Math.multiplyExact(type.size(), count)).order(ByteOrder.LITTLE_ENDIAN);
    }

    public Type type() {
        return type;
    }

    public long[] shape() {
        return shape.clone();
    }

    public int dimensions() {
        return shape.length;
    }

    public boolean hasShape(long... other) {
        return Arrays.equals(shape, other);
    }

    /** The number of samples, for a tensor with the batch first. */
    public int rows() {
        return Math.toIntExact(shape[0]);
    }

    /** The shape of one sample, for a tensor with the batch first. */
    public long[] rowShape() {
        return Arrays.copyOfRange(shape, 1, shape.length);
    }

    public int count() {
        return bytes.capacity() / type.size();
    }

    /** All bytes, from the first to the last; whoever reads them has a position of his own. */
    public ByteBuffer bytes() {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    public float[] floats() {
        float[] values = new float[require(Type.F32)];
        bytes().asFloatBuffer().get(values);
        return values;
    }

    public long[] longs() {
        long[] values = new long[require(Type.I64)];
        bytes().asLongBuffer().get(values);
        return values;
    }

    /** Of a tensor with the batch first: its first samples, without a copy. */
    Tensor first(int rows) {
        long[] cut = shape.clone();
        cut[0] = rows;
        int size = shape[0] == 0 ? 0 : Math.toIntExact(bytes.capacity() / shape[0] * rows);
        return new Tensor(type, cut, bytes.slice(0, size));
    }

    @Override
    public String toString() {
        return type + " " + Arrays.toString(shape);
    }

    private int require(Type wanted) {
        if (type != wanted) {
            throw new IllegalStateException("the tensor is " + this + ", not " + wanted);
        }
        return count();
    }
}
