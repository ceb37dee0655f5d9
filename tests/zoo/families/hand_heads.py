# SPDX-License-Identifier: Apache-2.0
"""From q, k and v side by side to what their heads give, as people spell it by hand: by Einsum or einops, head by head,
with a softmax of their own."""

import torch
from einops import rearrange

from .family import HEADS, WIDTH

HEAD = WIDTH // HEADS
SCALE = HEAD**-0.5


def attended(q, k, v, softmax=lambda scores: scores.softmax(-1)):
    """softmax(q k) v of [B, heads, N, d], as rows."""
    scores = q @ k.transpose(-2, -1) * SCALE
    return (softmax(scores) @ v).transpose(1, 2).flatten(2)


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
