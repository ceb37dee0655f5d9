# SPDX-License-Identifier: Apache-2.0
"""Linear layers of q, k and v, and of what attention gives, in other shapes than nn.Linear's."""

import torch
from torch import nn

from .family import HEADS, WIDTH
from .hand_heads import HEAD, SCALE, attended, columns, einsum_heads, heads_of


class KerasHeads(nn.Module):
    """Projections to heads, and from them, as products with weights of three axes."""

    def __init__(self, bias=True):
        super().__init__()
        make = lambda *sizes: nn.Parameter(torch.randn(*sizes) * WIDTH**-0.5)  # noqa: E731
        self.weights = nn.ParameterList(make(WIDTH, HEADS, HEAD) for _ in range(3))
        self.biases = nn.ParameterList(make(HEADS, HEAD) for _ in range(3)) if bias else [None] * 3
        self.out, self.out_bias = make(HEADS, HEAD, WIDTH), make(WIDTH)

    def forward(self, x):
        parts = [torch.einsum("btd,dhk->bthk", x, weight) for weight in self.weights]
        q, k, v = (part if bias is None else part + bias for part, bias in zip(parts, self.biases))
        weights = (torch.einsum("bthk,bshk->bhts", q * SCALE, k)).softmax(-1)
        return torch.einsum("bthk,hkd->btd", torch.einsum("bhts,bshk->bthk", weights, v), self.out) + self.out_bias


class HeadModules(nn.Module):
    """A small module for each head, joined at the end, as tutorials have it."""

    def __init__(self):
        super().__init__()
        make = lambda: nn.ModuleList(nn.Linear(WIDTH, HEAD) for _ in range(HEADS))  # noqa: E731
        self.q, self.k, self.v = make(), make(), make()
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        found = []
        for q, k, v in zip(self.q, self.k, self.v):
            weights = (q(x) @ k(x).transpose(1, 2) * SCALE).softmax(-1)
            found.append(weights @ v(x))
        return self.out(torch.cat(found, -1))


class Convolved(nn.Module):
    """q, k and v by a convolution of size 1 over rows as columns."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Conv1d(WIDTH, 3 * WIDTH, 1), nn.Conv1d(WIDTH, WIDTH, 1)

    def forward(self, x):
        rows = columns(self.qkv(x.transpose(1, 2)).transpose(1, 2))
        return self.out(rows.transpose(1, 2)).transpose(1, 2)


class Joined(nn.Module):
    """q by one layer, k and v by another."""

    def __init__(self):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.out(einsum_heads(torch.cat([self.q(x), self.kv(x)], -1)))


class JoinedWeights(nn.Module):
    """Three matrices that are put side by side when they are used; keys in front of queries."""

    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(WIDTH, WIDTH) * WIDTH**-0.5) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        k, q, v = heads_of(nn.functional.linear(x, torch.cat(list(self.weights))))
        return self.out(attended(q, k, v))
