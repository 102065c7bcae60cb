"""The graph as a module of PyTorch, and the one place that knows the names of canonical parameters in it."""

import keyword
from collections.abc import Callable
from typing import Any

from torch import Tensor, fx, nn

from crossbind_worker import Graph, Node, Parameter
from layers import LAYERS

_BARE = nn.Module()


def _attribute(part: str) -> str:
    """A part of a layer's name as an attribute; some names are taken in every module."""
    return f"{part}_" if hasattr(_BARE, part) or keyword.iskeyword(part) else part


def module_path(name: str) -> str:
    return ".".join(map(_attribute, name.split(".")))


def state_name(node: Node, parameter: Parameter) -> str:
    """The name of a canonical parameter in the state dict."""
    own = parameter.name.removeprefix(f"{node.name}.")
    if node.type in ("lstm", "gru"):
        own += "_l0"  # PyTorch counts the layers of a stack
    return f"{module_path(node.name)}.{own}"


def canonical(module: nn.Module, graph: Graph) -> dict[str, Tensor]:
    """Parameters and running statistics by their canonical names, without those that only PyTorch has, such
    as the second bias of an LSTM with one. KeyError: the module is not of this graph."""
    state = module.state_dict(keep_vars=True)
    return {
        parameter.name: state[state_name(node, parameter)]
        for node in graph.nodes
        for parameter in node.parameters
    }


class _Place:
    """Puts modules into a tree by their path, and a call of each into the recorded program."""

    def __init__(self) -> None:
        self.root = nn.Module()
        self.program = fx.Graph()
        self._tracer = fx.proxy.GraphAppendingTracer(self.program)

    def given(self, name: str) -> fx.Proxy:
        return fx.Proxy(self.program.placeholder(name), self._tracer)

    def own(self, path: str) -> Callable[[nn.Module], Callable[..., Any]]:
        def put(module: nn.Module) -> Callable[..., Any]:
            parent = self.root
            *blocks, last = path.split(".")
            for block in blocks:
                if block not in parent._modules:
                    parent.add_module(block, nn.Module())
                parent = parent.get_submodule(block)
            parent.add_module(last, module)
            return lambda *inputs: self._tracer.create_proxy("call_module", path, inputs, {})

        return put


def build_network(graph: Graph) -> fx.GraphModule:
    """A module with the graph's blocks as nested modules and a generated `forward`, one line a layer, as
    people write it by hand. It takes the inputs in the order of the graph."""
    place = _Place()
    values: dict[str, Any] = {given.name: place.given(given.name) for given in graph.inputs}
    for node in graph.nodes:
        inputs = [values[name] for name in node.inputs]
        values[node.name] = LAYERS[node.type](node, place.own(module_path(node.name)), *inputs)
        values[node.name].node.meta["layer"] = node.name
    place.program.output(values[graph.nodes[-1].name].node)
    return fx.GraphModule(place.root, place.program, class_name="Network")


class Recorder(fx.Interpreter):
    """Runs a network step by step and remembers what each layer gave."""

    def __init__(self, network: fx.GraphModule) -> None:
        super().__init__(network)
        self.outputs: dict[str, Tensor] = {}

    def run_node(self, n: fx.Node) -> Any:
        result = super().run_node(n)
        if "layer" in n.meta:
            self.outputs[n.meta["layer"]] = result
        return result
