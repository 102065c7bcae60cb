package crossbind.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Losses by their formulas. */
class LossesTest {
    private static final double ROUNDING = 1e-14;

    @Test
    void crossEntropyAddsUpOverSamples() {
        Tensor outputs = Tensor.of(new float[] {1, 2, 3, /**/ 0, 0, 0}, 2, 3);
        double first = Math.log(Math.exp(1) + Math.exp(2) + Math.exp(3)) - 2;
        double sum = Losses.sum("cross_entropy", outputs, Map.of("label", new long[] {1, 2}));
        assertEquals(first + Math.log(3), sum, ROUNDING);
    }

    @Test
    void largeOutputsDoNotOverflow() {
        Tensor outputs = Tensor.of(new float[] {1000, 0, /**/ -1000, 0}, 2, 2);
        double sum = Losses.sum("cross_entropy", outputs, Map.of("label", new long[] {1, 1}));
        assertEquals(1000, sum, ROUNDING);
        Tensor logits = Tensor.of(new float[] {1000, -1000}, 2, 1);
        assertEquals(2000,
                Losses.sum("binary_cross_entropy", logits, Map.of("label", new long[] {0, 1})), ROUNDING);
    }

    @Test
    void binaryCrossEntropyIsThatOfTheSigmoid() {
        Tensor logits = Tensor.of(new float[] {0.5f, 0.5f}, 2, 1);
        double sigmoid = 1 / (1 + Math.exp(-0.5));
        double sum = Losses.sum("binary_cross_entropy", logits, Map.of("label", new long[] {0, 1}));
        assertEquals(-Math.log(1 - sigmoid) - Math.log(sigmoid), sum, ROUNDING);
    }

    @Test
    void aSpanIsTheMeanOfItsEnds() {
        Tensor outputs = Tensor.of(new float[] {0, 1, /**/ 2, 1, /**/ 0, 1}, 1, 3, 2);
        double start = Math.log(2 + Math.exp(2)) - 2;
        double sum = Losses.sum("span_cross_entropy", outputs,
                Map.of("start", new long[] {1}, "end", new long[] {0}));
        assertEquals((start + Math.log(3)) / 2, sum, ROUNDING);
    }
}
