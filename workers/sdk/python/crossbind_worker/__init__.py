"""What all Python workers share: a worker is a function `build(job) -> Model` and a manifest.

sys.exit(serve(build, Hello.from_manifest(Path(__file__).with_name("worker.toml"), versions)))
"""

from .data import Data, Ids, Samples, Split
from .errors import Failed, Unsupported
from .graph import Graph, Input, Node, Parameter
from .hello import Hello
from .model import Answer, Build, Job, Model, Probed, State, Step, Untrainable
from .model_file import ModelFile, Serialization
from .requests import Format, Precision, Settings
from .serving import serve

__all__ = [
    "Answer",
    "Build",
    "Data",
    "Failed",
    "Format",
    "Graph",
    "Hello",
    "Ids",
    "Input",
    "Job",
    "Model",
    "ModelFile",
    "Node",
    "Parameter",
    "Precision",
    "Probed",
    "Samples",
    "Serialization",
    "Settings",
    "Split",
    "State",
    "Step",
    "Unsupported",
    "Untrainable",
    "serve",
]
