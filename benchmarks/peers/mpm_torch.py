# SPDX-License-Identifier: Apache-2.0
"""Mutual Pair Merging as the paper has it, in PyTorch: batches padded, restored at the encoder's end.

x is [B, N, D] image tokens. Of image b the first lengths[b] rows live, the others are padding.
"""

import torch
from torch.nn import functional


def match(x, lengths):
    """Each row's most similar other row by cosine [B, N]; ties take the lowest index."""
    unit = functional.normalize(x, dim=-1)
    similarity = unit @ unit.transpose(1, 2)
    similarity.diagonal(dim1=1, dim2=2).fill_(-torch.inf)
    if int(lengths.min()) < x.shape[1]:
        padding = torch.arange(x.shape[1])[None] >= lengths[:, None]
        similarity.masked_fill_(padding[:, None], -torch.inf)
    return similarity.argmax(dim=2)


def clusters(best, lengths):
    """Map [B, N] of each row to its cluster, in order of lowest members; and the clusters [B]."""
    batch, rows = best.shape
    own = torch.arange(rows).expand(batch, rows)
    mutual = best.gather(1, best) == own
    mutual &= best != own  # of a single row argmax knows nothing better than itself
    mutual &= (own < lengths[:, None]) & (best < lengths[:, None])
    representative = torch.where(mutual, torch.minimum(own, best), own)
    first = (representative == own) & (own < lengths[:, None])
    compact = first.cumsum(1) - 1
    return compact.gather(1, representative), first.sum(1)


def merge(x, lengths):
    """One call: (merged [B, longest, D], its lengths, map [B, N] of live rows)."""
    cluster_of, counts = clusters(match(x, lengths), lengths)
    batch, rows, dim = x.shape
    longest = int(counts.max())
    live = torch.arange(rows)[None] < lengths[:, None]
    place = torch.where(live, cluster_of, longest)  # padding goes to one row that is cut off
    sums = x.new_zeros(batch, longest + 1, dim)
    sums.scatter_add_(1, place[..., None].expand_as(x), x)
    sizes = x.new_zeros(batch, longest + 1).scatter_add_(1, place, x.new_ones(batch, rows))
    return (sums / sizes.clamp(min=1)[..., None])[:, :longest], counts, cluster_of


def restore(x, merge_map):
    """A copy of its live row for every original position: [B, N, D]."""
    return x.gather(1, merge_map[..., None].expand(-1, -1, x.shape[-1]))


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
