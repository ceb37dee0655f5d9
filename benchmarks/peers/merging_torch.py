# SPDX-License-Identifier: Apache-2.0
"""The two methods in PyTorch, in a Segmenter.

Mutual Pair Merging as in its paper: batches padded, restored at the encoder's end.

Token Merging (ToMe, Bolya et al., 2023) in our own words, after the paper's description. Between a block's attention
and its MLP the r most similar pairs of a bipartite matching are merged: even rows look for their best odd row by the
cosine of their keys' mean over heads. Merged rows are means weighted by size, and attention is proportional: log size is
added to a key's logits. For segmentation every original position gets its row's values back behind the encoder.
"""

import sys

import torch
from environment import ROOT
from torch.nn import functional

sys.path.append(str(ROOT / "models" / "training"))
from merging import merge, restore  # noqa: E402


def attend(attention, x, mask):
    """The block's attention with PyTorch's fused operator; mask is None or [B, 1, 1, tokens]."""
    batch, tokens, dim = x.shape
    packed = attention.qkv(x).reshape(batch, tokens, 3, attention.heads, dim // attention.heads)
    q, k, v = packed.permute(2, 0, 3, 1, 4).unbind(0)
    mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=attention.scale)
    return attention.proj(mixed.transpose(1, 2).reshape(batch, tokens, dim))


def key_mask(lengths, special, rows):
    """What attention may look at, or None where nothing is padded."""
    if int(lengths.min()) == rows:
        return None
    keys = torch.arange(special + rows)[None] < special + lengths[:, None]
    return keys[:, None, None]


def embed(encoder, image):
    x = encoder.patch_embed(image)
    special = [token.expand(x.shape[0], -1, -1) for token in encoder.special()]
    return torch.cat(special + [x], dim=1) + encoder.pos_embed


class MpmEncoder(torch.nn.Module):
    """segmenter_model's Encoder with merges before the blocks of schedule.

    The last forward's map [B, N] and live rows (for each merge [B], special ones included) stay in
    `map` and `rows`.
    """

    def __init__(self, encoder, schedule):
        super().__init__()
        self.encoder = encoder
        self.schedule = frozenset(schedule)
        self.map, self.rows = None, []

    def forward(self, image):
        x = embed(self.encoder, image)
        special = len(self.encoder.special())
        lengths = torch.full((x.shape[0],), x.shape[1] - special)
        composed = torch.arange(x.shape[1] - special).expand(x.shape[0], -1)
        rows, mask = [], None
        for index, block in enumerate(self.encoder.blocks):
            if index in self.schedule:
                merged, lengths, step = merge(x[:, special:], lengths)
                composed = step.gather(1, composed)
                x = torch.cat([x[:, :special], merged], dim=1)
                mask = key_mask(lengths, special, merged.shape[1])
                rows.append((lengths + special).tolist())
            x = x + attend(block.attn, block.norm1(x), mask)
            x = x + block.mlp(block.norm2(x))
        self.map, self.rows = composed, rows
        return restore(self.encoder.norm(x)[:, special:], composed)


def use_fused_attention(model):
    """Makes every attention of a segmenter_model use PyTorch's fused operator, as timm's do."""
    for module in model.modules():
        if hasattr(module, "qkv"):
            module.forward = lambda x, of=module: attend(of, x, None)
    return model


def match(metric, r, special):
    """The r pairs: of the image rows' even half those that go, those that stay, and where to.

    metric [B, special + N, d]. Special rows take no part. Gives going [B, r] and staying
    [B, evens - r], indices of even rows in increasing order, and target [B, r], of odd rows.
    """
    unit = functional.normalize(metric[:, special:], dim=-1)
    scores = unit[:, ::2] @ unit[:, 1::2].transpose(1, 2)
    best, target = scores.max(dim=2)
    order = best.argsort(dim=1, descending=True)
    going = order[:, :r].sort(dim=1).values
    staying = order[:, r:].sort(dim=1).values
    return going, staying, target.gather(1, going)


def rows_at(x, index):
    return x.gather(1, index[..., None].expand(-1, -1, x.shape[-1]))


def merge_weighted(x, sizes, pairs, special):
    """Rows weighted by their sizes [B, special + N, 1]: special, staying evens, odds; sizes too."""
    going, staying, target = pairs
    both = torch.cat([x * sizes, sizes], dim=2)
    even, odd = both[:, special::2], both[:, special + 1 :: 2]
    moved = rows_at(even, going)
    odd = odd.scatter_add(1, target[..., None].expand_as(moved), moved)
    both = torch.cat([both[:, :special], rows_at(even, staying), odd], dim=1)
    sizes = both[..., -1:]
    return both[..., :-1] / sizes, sizes


def step_map(pairs, rows):
    """Where each of `rows` image rows stands behind the merge [B, rows]."""
    going, staying, target = pairs
    batch, left = staying.shape
    even = torch.empty(batch, (rows + 1) // 2, dtype=torch.long)
    even.scatter_(1, staying, torch.arange(left).expand(batch, -1))
    even.scatter_(1, going, target + left)
    result = torch.empty(batch, rows, dtype=torch.long)
    result[:, ::2] = even
    result[:, 1::2] = torch.arange(rows // 2) + left
    return result


def attend_in_proportion(attention, x, sizes):
    """Proportional attention; also the keys' mean over heads [B, tokens, d]."""
    batch, tokens, dim = x.shape
    packed = attention.qkv(x).reshape(batch, tokens, 3, attention.heads, dim // attention.heads)
    q, k, v = packed.permute(2, 0, 3, 1, 4).unbind(0)
    bias = None if sizes is None else sizes.log().transpose(1, 2)[:, None]
    mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=attention.scale)
    return attention.proj(mixed.transpose(1, 2).reshape(batch, tokens, dim)), k.mean(1)


def share(rows, blocks, end):
    """How many of `rows` each block merges so that `end` are left: the same r, the rest up front."""
    r, more = divmod(max(0, rows - end), blocks)
    return [r + (index < more) for index in range(blocks)]


class TomeEncoder(torch.nn.Module):
    """segmenter_model's Encoder with ToMe that ends with `end` image rows. `rows`, `map`: as MpmEncoder's."""

    def __init__(self, encoder, end):
        super().__init__()
        self.encoder = encoder
        self.end = end
        self.map, self.rows = None, []

    def forward(self, image):
        x = embed(self.encoder, image)
        special = len(self.encoder.special())
        batch, tokens, _ = x.shape
        composed = torch.arange(tokens - special).expand(batch, -1)
        merges = share(tokens - special, len(self.encoder.blocks), self.end)
        sizes, rows = None, []
        for block, r in zip(self.encoder.blocks, merges):
            mixed, metric = attend_in_proportion(block.attn, block.norm1(x), sizes)
            x = x + mixed
            r = min(r, (x.shape[1] - special) // 2)
            if r > 0:
                pairs = match(metric, r, special)
                composed = step_map(pairs, x.shape[1] - special).gather(1, composed)
                sizes = x.new_ones(batch, x.shape[1], 1) if sizes is None else sizes
                x, sizes = merge_weighted(x, sizes, pairs, special)
            rows.append([x.shape[1]] * batch)
            x = x + block.mlp(block.norm2(x))
        self.map, self.rows = composed, rows
        return restore(self.encoder.norm(x)[:, special:], composed)
