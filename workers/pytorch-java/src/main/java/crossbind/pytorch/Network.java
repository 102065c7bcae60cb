package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.AbstractBlock;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.training.ParameterStore;
import ai.djl.training.initializer.Initializer;
import ai.djl.util.PairList;
import crossbind.worker.Graph;
import crossbind.worker.Model.Mode;
import crossbind.worker.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The graph as a block of DJL, with a child block for each layer. */
final class Network extends AbstractBlock {

    /** A layer, and where among the values that are known by then it finds its inputs. */
    private record Place(Graph.Node node, Block block, int[] inputs) {}

    private final Graph graph;
    private final List<Place> places = new ArrayList<>();
    private final Map<String, Parameter> canonical = new LinkedHashMap<>();

    Network(Graph graph) {
        this.graph = graph;
        Map<String, Integer> known = new HashMap<>();
        graph.inputs().forEach(input -> known.put(input.name(), known.size()));
        for (Graph.Node node : graph.nodes()) {
            Layers.Layer layer = Layers.build(node);
            addChildBlock(node.name(), layer.block());
            places.add(new Place(node, layer.block(), node.inputs().stream().mapToInt(known::get).toArray()));
            known.put(node.name(), known.size());
            for (int i = 0; i < node.parameters().size(); i++) {
                canonical.put(node.parameters().get(i).name(), layer.parameters().get(i));
            }
        }
    }

    /** Parameters and running statistics by their canonical names, without those that only PyTorch has. */
    Map<String, Parameter> canonical() {
        return canonical;
    }

    /** New arrays for all parameters, without gradients. */
    void load(Map<String, Tensor> values, NDManager manager) {
        clear();
        getParameters().values().forEach(parameter -> parameter.setInitializer(Initializer.ZEROS));
        canonical.forEach((name, parameter) -> parameter.setInitializer(
                (owner, shape, type) -> Transfer.toArray(values.get(name), owner)));
        List<long[]> inputs = graph.inputs().stream().map(Graph.Input::shape).toList();
        initialize(manager, DataType.FLOAT32, shapes(inputs));
    }

    @Override
    protected NDList forwardInternal(
            ParameterStore store, NDList inputs, boolean training, PairList<String, Object> params) {
        return new NDList(run(store, inputs, training, training, (layer, output) -> { }));
    }

    /** Goes forward and shows the output of each layer. */
    NDArray probe(ParameterStore store, NDList inputs, Mode mode, BiConsumer<String, NDArray> watch) {
        return run(store, inputs, mode.trains(), mode == Mode.STEP_WITH_DROPOUT, watch);
    }

    private NDArray run(
            ParameterStore store,
            NDList inputs,
            boolean training,
            boolean dropout,
            BiConsumer<String, NDArray> watch) {
        List<NDArray> values = new ArrayList<>(inputs);
        for (Place place : places) {
            NDList given = new NDList(place.inputs().length);
            for (int input : place.inputs()) {
                given.add(values.get(input));
            }
            boolean mode = place.node().type().equals("dropout") ? dropout : training;
            NDArray output = place.block().forward(store, given, mode).singletonOrThrow();
            values.add(output);
            watch.accept(place.node().name(), output);
        }
        return values.get(values.size() - 1);
    }

    @Override
    protected void initializeChildBlocks(NDManager manager, DataType type, Shape... inputShapes) {
        List<long[]> known = new ArrayList<>(graph.inputs().stream().map(Graph.Input::shape).toList());
        for (Place place : places) {
            List<long[]> given = Arrays.stream(place.inputs()).mapToObj(known::get).toList();
            place.block().initialize(manager, type, shapes(given));
            known.add(place.node().output());
        }
    }

    @Override
    public Shape[] getOutputShapes(Shape[] inputShapes) {
        return new Shape[] {new Shape(inputShapes[0].get(0)).addAll(new Shape(graph.last().output()))};
    }

    /** Of a batch of one. */
    private static Shape[] shapes(List<long[]> samples) {
        return samples.stream()
                .map(sample -> new Shape(1).addAll(new Shape(sample)))
                .toArray(Shape[]::new);
    }
}
