"""A model that PyTorch trains, as the procedures of the SDK want it."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, fx, nn, optim

from crossbind_worker import Job, Probed, Samples, Serialization, State, Step
from export import export_checkpoint, export_torchscript
from inference import InferenceModel, typed_errors
from loaders import Batch, ResidentLoader
from network import Recorder, build_network, canonical
from optimizers import build_optimizer, moments_of, set_moments


class TorchModel(InferenceModel):
    """Built from the graph and its parameters. Once it has been reset, it trains."""

    network: fx.GraphModule

    @typed_errors()
    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.network = build_network(job.graph).to(self.device)
        self._canonical = canonical(self.network, job.graph)
        self.parameters = sum(tensor.numel() for tensor in self._canonical.values())
        self._loss: Tensor  # of the last forward
        self._load(job.weights)
        torch.manual_seed(job.settings.seed)  # for probes with dropout; building drew from it

    def _load(self, values: Mapping[str, np.ndarray]) -> None:
        with torch.no_grad():
            for name, tensor in self._canonical.items():
                tensor.copy_(torch.from_numpy(values[name]))

    @cached_property
    def _optimizer(self) -> optim.Optimizer:
        return build_optimizer(self.job.graph, self._canonical)

    def reset(self) -> None:
        self._load(self.job.weights)
        self._optimizer = build_optimizer(self.job.graph, self._canonical)
        torch.manual_seed(self.job.settings.seed)

    @typed_errors()
    def forward(self, batch: Batch) -> Step[Tensor]:
        if not self.network.training:
            self.network.train()
        outputs = self.network(*batch.inputs)
        self._loss = self._criterion(outputs, batch)
        return Step(outputs.detach(), self._loss.detach())

    @staticmethod
    def _update(optimizer: optim.Optimizer, loss: Tensor) -> None:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    @typed_errors()
    def backward(self) -> None:
        self._update(self._optimizer, self._loss)

    def _host(self, tensors: Mapping[str, Tensor], suffix: str = "") -> dict[str, np.ndarray]:
        return {f"{name}{suffix}": self.to_host(tensor.detach()) for name, tensor in tensors.items()}

    def export(self) -> Mapping[str, np.ndarray]:
        return self._host(self._canonical)

    def serialize(self, wanted: Serialization) -> None:
        if wanted.format == "torchscript":
            wanted.require_at_most()  # it holds code, but no step
            export_torchscript(self.network, wanted.path)
            return
        wanted.require_at_most(optimizer=True)
        export_checkpoint(self.network, self._optimizer if wanted.optimizer else None, wanted.path)

    @typed_errors()
    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        self._load(state.parameters)
        self.network.train(train)
        for module in self.network.modules():
            if isinstance(module, nn.Dropout) and not dropout:
                module.eval()
        recorder = Recorder(self.network)
        try:
            return self._probe(recorder, state, ResidentLoader(batch, self.device).whole(), train)
        finally:
            self.network.eval()  # whoever trains next sets all of it to training, dropout too

    def _probe(self, recorder: Recorder, state: State, batch: Batch, train: bool) -> Probed:
        with torch.set_grad_enabled(train):
            outputs = recorder.run(*batch.inputs)
            loss = self._criterion(outputs, batch) if batch.targets else None
        tensors = self._host(recorder.outputs, ".out")
        if train:
            assert loss is not None  # the SDK refuses a training step without labels
            optimizer = build_optimizer(self.job.graph, self._canonical)
            set_moments(optimizer, self.job.graph, self._canonical, state)
            self._update(optimizer, loss)
            gradients = {name: p.grad for name, p in self._canonical.items() if p.grad is not None}
            tensors |= self._host(gradients, ".grad")
            tensors |= self._host(moments_of(optimizer, self.job.graph, self._canonical))
        tensors |= self._host(self._canonical)
        return Probed(tensors, None if loss is None else loss.item())
