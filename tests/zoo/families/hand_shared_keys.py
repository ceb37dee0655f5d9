# SPDX-License-Identifier: Apache-2.0
"""Several heads of queries that share keys and values."""

import torch
from einops import rearrange, repeat
from torch import nn

from .family import HEADS, WIDTH
from .hand_heads import HEAD, SCALE, attended


class Shared(nn.Module):
    """Several heads of queries to one of keys and values."""

    def __init__(self, spell, groups=1):
        super().__init__()
        self.q = nn.Linear(WIDTH, 2 * WIDTH)  # twice as many heads of queries
        self.k, self.v = nn.Linear(WIDTH, groups * HEAD), nn.Linear(WIDTH, groups * HEAD)
        self.out = nn.Linear(2 * WIDTH, WIDTH)
        self.spell, self.groups = spell, groups

    def forward(self, x):
        q = rearrange(self.q(x), "b n (h d) -> b h n d", d=HEAD)
        k, v = (rearrange(part(x), "b n (g d) -> b g n d", d=HEAD) for part in (self.k, self.v))
        return self.out(self.spell(q, k, v, 2 * HEADS // self.groups))


def by_interleaving(q, k, v, times):
    return attended(q, k.repeat_interleave(times, 1), v.repeat_interleave(times, 1))


def by_expanding(q, k, v, times):
    spread = lambda x: x[:, :, None].expand(-1, -1, times, -1, -1).flatten(1, 2)  # noqa: E731
    return attended(q, spread(k), spread(v))


def by_repeating(q, k, v, times):
    return attended(q, *(repeat(x, "b g n d -> b (g r) n d", r=times) for x in (k, v)))


def by_tiling(q, k, v, times):
    """The groups one behind the other, and then again."""
    return attended(q, k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1))


def by_broadcast(q, k, v, times):
    """One head of keys, which a product of matrices spreads."""
    return attended(q, k, v)


def by_groups(q, k, v, times):
    """Queries [B, groups, heads of a group, N, d]."""
    q = q.unflatten(1, (-1, times))
    weights = (q @ k[:, :, None].transpose(-2, -1) * SCALE).softmax(-1)
    return rearrange(weights @ v[:, :, None], "b g r n d -> b n (g r d)")


def by_einsum(q, k, v, times):
    weights = (torch.einsum("bhid,bjd->bhij", q, k[:, 0]) * SCALE).softmax(-1)
    return rearrange(torch.einsum("bhij,bjd->bhid", weights, v[:, 0]), "b h n d -> b n (h d)")
