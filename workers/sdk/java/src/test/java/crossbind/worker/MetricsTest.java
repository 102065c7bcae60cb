package crossbind.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What counts as right. */
class MetricsTest {
    @Test
    void theLowestIndexWinsAmongEquals() {
        Tensor outputs = Tensor.of(new float[] {1, 1, 0, /**/ 0, 2, 2}, 2, 3);
        assertEquals(2, Metrics.countCorrect(outputs, Map.of("label", new long[] {0, 1})));
        assertEquals(0, Metrics.countCorrect(outputs, Map.of("label", new long[] {1, 2})));
    }

    @Test
    void oneOutputMeansOneWhenItIsPositive() {
        Tensor outputs = Tensor.of(new float[] {0, 0.1f, -1}, 3, 1);
        assertEquals(3, Metrics.countCorrect(outputs, Map.of("label", new long[] {0, 1, 0})));
    }

    @Test
    void bothEndsOfASpanMustBeRight() {
        Tensor outputs = Tensor.of(new float[] {0, 9, 5, 1, 3, 2}, 1, 3, 2);
        long[] start = {1};
        assertEquals(1, Metrics.countCorrect(outputs, Map.of("start", start, "end", new long[] {0})));
        assertEquals(0, Metrics.countCorrect(outputs, Map.of("start", start, "end", new long[] {2})));
    }

    @Test
    void anOutputThatIsNotFiniteFails() {
        Tensor outputs = Tensor.of(new float[] {0, Float.NaN}, 1, 2);
        Failed error = assertThrows(
                Failed.class, () -> Metrics.countCorrect(outputs, Map.of("label", new long[] {0})));
        assertEquals("not_finite", error.code());
    }
}
