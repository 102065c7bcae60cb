"""Layers that are not what the graph says."""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from .registry import Fields, misreads, replaces


@replaces("transposed-linear", nn, "Linear")
class TransposedLinear(nn.Linear):
    """Its weight is a view: who fills the memory row by row fills the columns."""

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight.view(self.in_features, self.out_features).T, self.bias)


@replaces("channels-last-weights", nn, "Conv2d")
class ChannelsLastConv2d(nn.Conv2d):
    """Numbers in the order O, H, W, I are taken for O, I, H, W."""

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight.permute(0, 2, 3, 1).reshape(self.weight.shape)
        return self._conv_forward(x, weight, self.bias)


@replaces("lstm-gate-order", nn, "LSTM")
class IfogLstm(nn.LSTM):
    """Takes the third block of weights for the output gate, and the fourth for the new values."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # type: ignore[override]
        weights = []
        for given in self._flat_weights:
            i, f, o, g = given.chunk(4)
            weights.append(torch.cat((i, f, g, o)))
        zeros = x.new_zeros(1, len(x), self.hidden_size)
        return torch.lstm(x, (zeros, zeros), weights, True, 1, 0.0, self.training, False, True)


@replaces("gru-reset-after", nn, "GRU")
class ResetBeforeGru(nn.GRU):
    """Resets the state before the product with the weights, not the product."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        gates = F.linear(x, self.weight_ih_l0, self.bias_ih_l0)
        gate_weight, new_weight = self.weight_hh_l0.split((2 * self.hidden_size, self.hidden_size))
        gate_bias, new_bias = self.bias_hh_l0.split((2 * self.hidden_size, self.hidden_size))
        state = x.new_zeros(len(x), self.hidden_size)
        states = []
        for given in gates.unbind(1):
            of_gates, of_new = given.split((2 * self.hidden_size, self.hidden_size), -1)
            reset, update = torch.sigmoid(of_gates + F.linear(state, gate_weight, gate_bias)).chunk(2, -1)
            new = torch.tanh(of_new + F.linear(reset * state, new_weight, new_bias))
            state = (1 - update) * new + update * state
            states.append(state)
        return torch.stack(states, 1), state


@misreads("batchnorm-momentum", "batchnorm")
def weight_of_the_old_value(fields: Fields) -> Fields:
    return {"momentum": 1 - fields["momentum"]}


@misreads("batchnorm-epsilon", "batchnorm")
def epsilon_of_keras(_: Fields) -> Fields:
    return {"epsilon": 1e-3}


@misreads("pool-padding-side", "max_pool2d")
def more_above_and_left(fields: Fields) -> Fields:
    top, left, bottom, right = fields["pads"]
    return {"pads": (bottom, right, top, left)}


@misreads("embedding-padding-trained", "embedding")
def no_padding(_: Fields) -> Fields:
    return {"padding_index": None}
