package crossbind.tensorflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import crossbind.worker.Graph;
import crossbind.worker.Tensor;
import crossbind.worker.testing.Models;
import org.junit.jupiter.api.Test;

/** The layouts, both ways; without TensorFlow. */
class LayoutTest {
    private static Tensor counted(long... shape) {
        int count = 1;
        for (long size : shape) {
            count *= (int) size;
        }
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        return Tensor.of(values, shape);
    }

    /** The number at some place of a tensor. */
    private static float at(Tensor tensor, long... place) {
        long index = 0;
        for (int axis = 0; axis < place.length; axis++) {
            index = index * tensor.shape()[axis] + place[axis];
        }
        return tensor.floats()[(int) index];
    }

    private static Layout of(String type, long... shape) {
        Graph.Parameter weight = Models.weight("weight", shape);
        return Layout.ofParameter(Models.node(type, "{}", new long[] {1}, weight), weight);
    }

    @Test
    void backAndForthIsNothing() {
        Tensor given = counted(2, 3, 4, 5);
        for (Layout layout : new Layout[] {Layout.SAME, Layout.IMAGES, Layout.KERNELS}) {
            Tensor back = layout.toCanonical(layout.toNative(given));
            assertArrayEquals(given.shape(), back.shape());
            assertArrayEquals(given.floats(), back.floats());
        }
    }

    @Test
    void kernelsAreHwio() {
        Tensor oihw = counted(2, 3, 4, 5);
        Tensor hwio = of("conv2d", 2, 3, 4, 5).toNative(oihw);
        assertArrayEquals(new long[] {4, 5, 3, 2}, hwio.shape());
        assertArrayEquals(hwio.shape(), Layout.KERNELS.toNative(2, 3, 4, 5));
        assertEquals(at(oihw, 1, 2, 3, 4), at(hwio, 3, 4, 2, 1));
    }

    @Test
    void aGrayImageStaysAsItIs() {
        Tensor nchw = counted(2, 1, 4, 5);
        Tensor nhwc = Layout.IMAGES.toNative(nchw);
        assertArrayEquals(new long[] {2, 4, 5, 1}, nhwc.shape());
        assertArrayEquals(nchw.floats(), nhwc.floats());
        assertArrayEquals(nchw.shape(), Layout.IMAGES.toCanonical(nhwc).shape());
    }

    @Test
    void imagesAreNhwcAndNothingElseIs() {
        Tensor nchw = counted(2, 3, 4, 5);
        assertEquals(at(nchw, 1, 2, 3, 4), at(Layout.ofSamples(nchw.rowShape()).toNative(nchw), 1, 3, 4, 2));
        assertSame(Layout.SAME, Layout.ofSamples(new long[] {3, 20}));
    }

    @Test
    void matricesAreTransposedAndTablesAreNot() {
        Tensor weight = counted(2, 3);
        assertEquals(at(weight, 1, 2), at(of("linear", 2, 3).toNative(weight), 2, 1));
        assertSame(Layout.MATRICES, of("lstm", 8, 3));
        assertSame(Layout.SAME, of("linear", 2));
        assertSame(Layout.SAME, of("embedding", 2, 3));
    }
}
