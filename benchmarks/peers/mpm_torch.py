# SPDX-License-Identifier: Apache-2.0
"""A Segmenter with Mutual Pair Merging in PyTorch: batches padded, restored at the encoder's end."""

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


class MergingEncoder(torch.nn.Module):
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
