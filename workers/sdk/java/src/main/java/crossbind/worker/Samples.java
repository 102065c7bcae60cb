package crossbind.worker;

import java.util.Map;

/**
 * Inputs and targets, by name, in the order of the graph: a batch on the host, or, memory-mapped, a whole
 * split. Inputs are F32, or I64 for integers; targets are I64, and empty where there are none.
 */
public record Samples(Map<String, Tensor> inputs, Map<String, Tensor> targets) {}
