# SPDX-License-Identifier: Apache-2.0
"""What people put between q, k and v and the layer behind attention: norms, gates, numbers of each head, positions."""

import torch
from torch import nn

from .family import HEADS, WIDTH
from .hand_heads import SCALE, attended, einops_rows, heads_of


class Talking(nn.Module):
    """Heads whose weights are mixed with each other's."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mix = nn.Parameter(torch.randn(HEADS, HEADS))

    def forward(self, x):
        mixed = lambda s: torch.einsum("bhij,hg->bgij", s, self.mix).softmax(-1)  # noqa: E731
        return self.out(attended(*heads_of(self.qkv(x)), mixed))


class Cosine(nn.Module):
    """Queries and keys of length one, and a temperature for each head."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.temperature = nn.Parameter(torch.rand(HEADS, 1, 1))

    def forward(self, x):
        q, k, v = heads_of(self.qkv(x))
        q, k = (nn.functional.normalize(part, dim=-1) for part in (q, k))
        weights = (q @ k.transpose(-2, -1) * self.temperature.exp()).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Warm(nn.Module):
    """A learned scale of all heads, in front of the softmax."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.temperature = nn.Parameter(torch.tensor([-1.2]))

    def forward(self, x):
        q, k, v = heads_of(self.qkv(x))
        return self.out(((q @ k.transpose(-2, -1) * self.temperature.exp()).softmax(-1) @ v).transpose(1, 2).flatten(2))


class GatedHeads(nn.Module):
    """What heads give, times a gate of the same rows."""

    def __init__(self):
        super().__init__()
        self.qkv, self.gate, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.out(einops_rows(self.qkv(x)) * self.gate(x).sigmoid())


class NormedHeads(nn.Module):
    """A norm over all heads' features behind attention."""

    def __init__(self):
        super().__init__()
        self.qkv, self.norm, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.out(self.norm(einops_rows(self.qkv(x))))


class Bare(nn.Module):
    """No layer behind attention."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)

    def forward(self, x):
        return einops_rows(self.qkv(x))


class ByHead(nn.Module):
    """Heads that are multiplied before they are joined."""

    def __init__(self, width=0):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.gate = nn.Linear(WIDTH, HEADS * width) if width else None
        self.scale = nn.Parameter(torch.ones(HEADS, 1, 1))

    def forward(self, x):
        batch, rows, _ = x.shape
        q, k, v = self.qkv(x).reshape(batch, rows, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        heads = (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v * self.scale
        if self.gate is not None:
            heads = heads * self.gate(x).reshape(batch, rows, HEADS, -1).transpose(1, 2).sigmoid()
        return self.out(heads.transpose(1, 2).reshape(batch, rows, -1))


class StackedPairs(nn.Module):
    """Rotary positions of all rows in turn, as language models have them."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def turned(self, x):
        half = x.shape[-1] // 2
        angles = torch.arange(float(x.shape[-2]))[:, None] * 10000 ** (-torch.arange(half) / half)
        even, odd, cos, sin = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)

    def forward(self, x):
        batch, rows, _ = x.shape
        q, k, v = self.qkv(x).reshape(batch, rows, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        return self.out(attended(self.turned(q), self.turned(k), v))
