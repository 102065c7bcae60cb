package crossbind.worker;

import java.util.Map;
import java.util.TreeMap;

/** For bindings whose Adam keeps its betas as float32: close to 1 that changes what is left to 1. */
public final class FloatBetas {
    /** How far 1 - beta may be off before it counts as another beta: a few roundings. */
    private static final double ROUNDING = 1e-6;

    private FloatBetas() {}

    /** The betas that are others then, as members of effective. */
    public static Map<String, Object> departures(Graph graph) {
        Map<String, Object> departures = new TreeMap<>();
        for (String beta : new String[] {"beta1", "beta2"}) {
            double asked = graph.optimizer().path(beta).asDouble();
            double held = (float) asked;
            if (Math.abs(asked - held) > ROUNDING * (1 - asked)) {
                departures.put("adam." + beta, held);
            }
        }
        return departures;
    }
}
