package crossbind.pytorch;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.training.optimizer.Adam;
import ai.djl.training.optimizer.AdamW;
import ai.djl.training.optimizer.Sgd;
import crossbind.worker.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The moments of DJL's optimizers. They keep them to themselves, but ask an own method for each when they
 * first need it: the optimizers here are DJL's with that method overridden. The momentum of DJL's Sgd is
 * multiplied by the rate, unlike that of the protocol.
 */
final class Moments {
    private static final List<String> SUFFIXES = List.of(".state.m", ".state.v"); // in the order of asking

    private final NDManager manager;
    private final Map<String, String> names; // canonical ones, by the id that DJL gives a parameter
    private final Map<String, Tensor> start;
    private final float scale;
    private final Map<String, NDArray> made = new HashMap<>();

    /** Moments that start does not have are zero; DJL's are those of the protocol times the scale. */
    Moments(NDManager manager, Map<String, String> names, Map<String, Tensor> start, float scale) {
        this.manager = manager;
        this.names = names;
        this.start = start;
        this.scale = scale;
    }

    /** By their names in the protocol. */
    Map<String, Tensor> export() {
        Map<String, Tensor> tensors = new HashMap<>();
        made.forEach((name, moment) -> {
            try (NDArray unscaled = moment.div(scale)) {
                tensors.put(name, Transfer.toTensor(unscaled));
            }
        });
        return tensors;
    }

    /** DJL would leave a moment to the garbage collector. */
    private NDArray owned(NDArray moment) {
        if (moment.getManager() != manager) {
            moment.attach(manager);
        }
        return moment;
    }

    private Function<String, NDArray> starting(Function<String, NDArray> zeros) {
        return id -> {
            List<String> wanted = new ArrayList<>(SUFFIXES.stream().map(names.get(id)::concat).toList());
            wanted.removeAll(made.keySet());
            NDArray moment = zeros.apply(id);
            Tensor values = start.get(wanted.get(0));
            if (values != null) {
                try (NDArray given = Transfer.toArray(values, manager)) {
                    moment.addi(given.muli(scale));
                }
            }
            made.put(wanted.get(0), moment);
            return moment;
        };
    }

    /** DJL's Sgd. */
    static final class OpenSgd extends Sgd {
        private final Moments moments;

        OpenSgd(Builder builder, Moments moments) {
            super(builder);
            this.moments = moments;
        }

        @Override
        protected NDArray withDefaultState(
                Map<String, Map<Device, NDArray>> state,
                String id,
                Device device,
                Function<String, NDArray> zeros) {
            return moments.owned(super.withDefaultState(state, id, device, moments.starting(zeros)));
        }
    }

    /** DJL's Adam. */
    static final class OpenAdam extends Adam {
        private final Moments moments;

        OpenAdam(Builder builder, Moments moments) {
            super(builder);
            this.moments = moments;
        }

        @Override
        protected NDArray withDefaultState(
                Map<String, Map<Device, NDArray>> state,
                String id,
                Device device,
                Function<String, NDArray> zeros) {
            return moments.owned(super.withDefaultState(state, id, device, moments.starting(zeros)));
        }
    }

    /** DJL's AdamW. */
    static final class OpenAdamW extends AdamW {
        private final Moments moments;

        OpenAdamW(Builder builder, Moments moments) {
            super(builder);
            this.moments = moments;
        }

        @Override
        protected NDArray withDefaultState(
                Map<String, Map<Device, NDArray>> state,
                String id,
                Device device,
                Function<String, NDArray> zeros) {
            return moments.owned(super.withDefaultState(state, id, device, moments.starting(zeros)));
        }
    }
}
