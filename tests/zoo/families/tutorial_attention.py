# SPDX-License-Identifier: Apache-2.0
"""Attention as tutorials and libraries' own layers make it: numbers on heads, softmaxes of several spellings."""

import torch
from einops import rearrange
from torch import nn

from .family import HEADS, WIDTH
from .hand_heads import HEAD, SCALE, attended, heads_of

F = nn.functional
ROWS = 64


class OnHeads(nn.Module):
    """`spell` of q, k and v [B, heads, N, d], with some vectors [heads, 1, d] beside."""

    def __init__(self, spell, vectors=0):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.vectors = nn.ParameterList(nn.Parameter(torch.randn(HEADS, 1, HEAD) + 1) for _ in range(vectors))
        self.numbers = nn.Parameter(torch.rand(HEADS, 1, 1) + 0.5)
        self.spell = spell

    def forward(self, x):
        return self.out(self.spell(self, *heads_of(self.qkv(x))))


def gains_and_biases(layer, q, k, v):
    gain, bias, other_gain, other_bias = layer.vectors
    return attended(q * gain + bias, k * other_gain + other_bias, v)


def shifted_first(layer, q, k, v):
    bias, gain = layer.vectors
    return attended((q + bias) * SCALE**-0.5 * gain, k, v)


def on_values(layer, q, k, v):
    gain, bias = layer.vectors
    return attended(q, k, v * gain + bias)


def half_values(layer, q, k, v):
    return attended(q, k, 0.5 * v)


def scores_by_head(layer, q, k, v):
    return ((q @ k.transpose(-2, -1) * layer.numbers).softmax(-1) @ v).transpose(1, 2).flatten(2)


def heads_in_front(layer, q, k, v):
    q, k, v = (part.transpose(0, 1) for part in (q, k, v))
    return rearrange((q @ k.transpose(-2, -1) * SCALE).softmax(-1) @ v, "h b n d -> b n (h d)")


def heads_folded(layer, q, k, v):
    """As `heads_in_front`, heads and images as one axis."""
    images, rows = q.shape[0], q.shape[2]
    q, k, v = (part.permute(1, 0, 2, 3).reshape(-1, rows, HEAD) for part in (q, k, v))
    mixed = (torch.bmm(q, k.transpose(1, 2)) * SCALE).softmax(-1).bmm(v)
    return mixed.view(HEADS, images, rows, HEAD).permute(1, 2, 0, 3).reshape(images, rows, -1)


def heads_below(layer, q, k, v):
    """Heads cut off side by side and put one below the other."""
    rows = (part.transpose(1, 2).flatten(2) for part in (q, k, v))
    q, k, v = (torch.cat(part.chunk(HEADS, 2)) for part in rows)
    return torch.cat(((q @ k.transpose(1, 2) * SCALE).softmax(-1) @ v).chunk(HEADS), 2)


def by_log_sum(layer, q, k, v):
    return attended(q, k, v, lambda scores: (scores - scores.logsumexp(-1, keepdim=True)).exp())


def in_float(layer, q, k, v):
    return attended(q, k, v, lambda scores: torch.softmax(scores, -1, dtype=torch.float32).type_as(v))


def by_root(layer, q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / torch.sqrt(torch.tensor(float(HEAD)))
    return torch.matmul(F.softmax(scores, dim=-1), v).permute(0, 2, 1, 3).contiguous().flatten(2)


def both_scaled(layer, q, k, v):
    return (((q * HEAD**-0.25) @ (k * HEAD**-0.25).transpose(-2, -1)).softmax(-1) @ v).transpose(1, 2).flatten(2)


def by_bmm(layer, q, k, v):
    q, k, v = (part.flatten(0, 1) for part in (q, k, v))
    scores = torch.baddbmm(torch.zeros(1, ROWS + 1, ROWS + 1), q, k.transpose(1, 2), beta=0, alpha=SCALE)
    return torch.bmm(scores.softmax(-1), v).unflatten(0, (-1, HEADS)).transpose(1, 2).flatten(2)


def by_operator(layer, q, k, v):
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


def one_more(layer, q, k, v):
    """A softmax whose weights may add up to less than one."""

    def softmax(scores):
        powers = scores.exp()
        return powers / (1 + powers.sum(-1, keepdim=True))

    return attended(q, k, v, softmax)


def of_relu(layer, q, k, v):
    return attended(q, k, v, lambda scores: scores.relu() / ROWS)


def of_sigmoid(layer, q, k, v):
    return attended(q, k, v, lambda scores: (scores - 4.0).sigmoid())


class BeforeTheTurn(nn.Module):
    """Gains of [B, N, heads, d]."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.gain, self.other = nn.Parameter(torch.randn(HEADS, HEAD) + 1), nn.Parameter(torch.randn(HEAD) + 1)

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (HEADS, HEAD)) for layer in (self.q, self.k, self.v))
        q, k = q * self.gain, k * self.other
        return self.out(attended(*(part.transpose(1, 2) for part in (q, k, v))))


class HeadsAlone(nn.Module):
    """A module for each head, each with a gain of its own."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(WIDTH, 3 * HEAD) for _ in range(HEADS))
        self.gains = nn.ParameterList(nn.Parameter(torch.randn(HEAD) + 1) for _ in range(HEADS))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        found = []
        for layer, gain in zip(self.heads, self.gains):
            q, k, v = layer(x).chunk(3, -1)
            found.append((q * gain @ k.transpose(1, 2) * SCALE).softmax(-1) @ v)
        return self.out(torch.cat(found, -1))


class Wide(nn.Module):
    """Values of twice the width of queries and keys."""

    def __init__(self):
        super().__init__()
        self.qk, self.v, self.out = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (rearrange(part, "b n (h d) -> b h n d", h=HEADS) for part in (*self.qk(x).chunk(2, -1), self.v(x)))
        return self.out(attended(q, k, v))


class TorchHeads(nn.Module):
    """PyTorch's own attention, rows or images first."""

    def __init__(self, batch_first=True, weights=False):
        super().__init__()
        self.attend = nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first)
        self.batch_first, self.weights = batch_first, weights

    def forward(self, x):
        x = x if self.batch_first else x.transpose(0, 1)
        x = self.attend(x, x, x, need_weights=self.weights)[0]
        return x if self.batch_first else x.transpose(0, 1)
