# SPDX-License-Identifier: Apache-2.0
"""Attention as people spell it by hand: by Einsum or einops, head by head, with heads that share keys, with a softmax
of their own."""

import torch
from einops import rearrange, repeat
from torch import nn

from .family import HEADS, WIDTH

HEAD = WIDTH // HEADS
SCALE = HEAD**-0.5


def attended(q, k, v, softmax=lambda scores: scores.softmax(-1)):
    """softmax(q k) v of [B, heads, N, d], as rows."""
    scores = q @ k.transpose(-2, -1) * SCALE
    return (softmax(scores) @ v).transpose(1, 2).flatten(2)


class Packed(nn.Module):
    """One linear layer for q, k and v; `spell` makes rows of what it gives, with the input beside."""

    def __init__(self, spell, bias=True):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=bias)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.spell = spell

    def forward(self, x):
        return self.out(self.spell(self.qkv(x)))


def heads_of(qkv):
    return (rearrange(part, "b n (h d) -> b h n d", h=HEADS) for part in qkv.chunk(3, -1))


def einops_rows(qkv):
    q, k, v = heads_of(qkv)
    weights = (torch.matmul(q, k.transpose(-1, -2)) * SCALE).softmax(-1)
    return rearrange(torch.matmul(weights, v), "b h n d -> b n (h d)")


def einsum_heads(qkv):
    q, k, v = heads_of(qkv)
    weights = (torch.einsum("b h i d, b h j d -> b h i j", q, k) * SCALE).softmax(-1)
    return rearrange(torch.einsum("b h i j, b h j d -> b h i d", weights, v), "b h n d -> b n (h d)")


def einsum_rows(qkv):
    q, k, v = (part.unflatten(-1, (HEADS, HEAD)) for part in qkv.chunk(3, -1))
    weights = (torch.einsum("bihd,bjhd->bhij", q, k) * SCALE).softmax(-1)
    return torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2)


def einsum_packed(qkv):
    q, k, v = rearrange(qkv, "b n (three h d) -> three b h n d", three=3, h=HEADS)
    weights = (torch.einsum("...id,...jd->...ij", q, k) * SCALE).softmax(-1)
    return rearrange(torch.einsum("...ij,...jd->...id", weights, v), "b h n d -> b n (h d)")


def einsum_turned(qkv):
    """Keys as rows: scores [B, h, keys, queries], and the softmax over the keys."""
    q, k, v = (part.unflatten(-1, (HEADS, HEAD)) for part in qkv.chunk(3, -1))
    weights = (torch.einsum("bkhd,bqhd->bhkq", k, q) * SCALE).softmax(2)
    return torch.einsum("bhkq,bkhd->bqhd", weights, v).flatten(2)


def interleaved(qkv):
    q, k, v = rearrange(qkv, "b n (h d three) -> three b h n d", three=3, h=HEADS)
    return attended(q, k, v)


def batched(qkv):
    """Heads and images in one axis, as torch.bmm wants them."""
    q, k, v = (rearrange(part, "b n (h d) -> (b h) n d", h=HEADS) for part in qkv.chunk(3, -1))
    weights = torch.bmm(q * SCALE, k.transpose(1, 2)).softmax(-1)
    return rearrange(torch.bmm(weights, v), "(b h) n d -> b n (h d)", h=HEADS)


def columns(qkv):
    """Rows as columns, as a convolution of size 1 leaves them."""
    q, k, v = (rearrange(part, "b n (h d) -> b h d n", h=HEADS) for part in qkv.chunk(3, -1))
    weights = (q.transpose(-2, -1) @ k * SCALE).softmax(-1)
    return rearrange(v @ weights.transpose(-2, -1), "b h d n -> b n (h d)")


def head_by_head(qkv):
    q, k, v = heads_of(qkv)
    return torch.cat([attended(q[:, i : i + 1], k[:, i : i + 1], v[:, i : i + 1]) for i in range(HEADS)], -1)


def with_softmax(softmax):
    return lambda qkv: attended(*heads_of(qkv), softmax)


def exponentials(scores):
    powers = scores.exp()
    return powers / powers.sum(-1, keepdim=True)


def stable_exponentials(scores):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


def shifted(scores):
    """The largest is taken off in front of a softmax that does so itself."""
    return (scores - scores.amax(-1, keepdim=True).detach()).softmax(-1)


def shifted_by_all(scores):
    """The largest of all scores, which is one number for each row, too."""
    return (scores - scores.amax((-2, -1), keepdim=True)).softmax(-1)


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


class Convolved(nn.Module):
    """q, k and v by a convolution of size 1 over rows as columns."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Conv1d(WIDTH, 3 * WIDTH, 1), nn.Conv1d(WIDTH, WIDTH, 1)

    def forward(self, x):
        rows = columns(self.qkv(x.transpose(1, 2)).transpose(1, 2))
        return self.out(rows.transpose(1, 2)).transpose(1, 2)


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


class Windows(nn.Module):
    """Windows of 4 x 4 places of a grid of 8 x 8, made anew."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        windows = rearrange(x, "b (h p w q) d -> (b h w) (p q) d", h=2, p=4, w=2, q=4)
        rows = self.out(einops_rows(self.qkv(windows)))
        return rearrange(rows, "(b h w) (p q) d -> b (h p w q) d", h=2, p=4, w=2, q=4)


ATTENTIONS = {
    "einops": lambda: Packed(einops_rows, False),
    "einsum_heads": lambda: Packed(einsum_heads),
    "einsum_rows": lambda: Packed(einsum_rows),
    "einsum_packed": lambda: Packed(einsum_packed),
    "einsum_turned": lambda: Packed(einsum_turned),
    "interleaved": lambda: Packed(interleaved),
    "batched": lambda: Packed(batched),
    "columns": lambda: Packed(columns),
    "head_by_head": lambda: Packed(head_by_head),
    "exponentials": lambda: Packed(with_softmax(exponentials)),
    "stable_exponentials": lambda: Packed(with_softmax(stable_exponentials)),
    "shifted": lambda: Packed(with_softmax(shifted)),
    "shifted_by_all": lambda: Packed(with_softmax(shifted_by_all)),
    "log_softmax": lambda: Packed(with_softmax(lambda scores: scores.log_softmax(-1).exp())),
    "keras": KerasHeads,
    "keras_no_bias": lambda: KerasHeads(False),
    "head_modules": HeadModules,
    "one_key": lambda: Shared(by_interleaving),
    "one_key_expanded": lambda: Shared(by_expanding),
    "one_key_broadcast": lambda: Shared(by_broadcast),
    "one_key_einsum": lambda: Shared(by_einsum),
    "few_keys": lambda: Shared(by_interleaving, HEADS),
    "few_keys_expanded": lambda: Shared(by_expanding, HEADS),
    "few_keys_repeated": lambda: Shared(by_repeating, HEADS),
    "few_keys_tiled": lambda: Shared(by_tiling, HEADS),
    "few_keys_grouped": lambda: Shared(by_groups, HEADS),
    "convolved": Convolved,
    "warm": Warm,
    "gated_heads": GatedHeads,
    "normed_heads": NormedHeads,
    "scaled_by_head": ByHead,
    "gated_by_head": lambda: ByHead(1),
    "gated_by_feature": lambda: ByHead(WIDTH // HEADS),
    "stacked_pairs": StackedPairs,
    "bare": Bare,
    "joined": Joined,
    "joined_weights": JoinedWeights,
    "talking": Talking,
    "cosine": Cosine,
    "windows": Windows,
}
