# SPDX-License-Identifier: Apache-2.0
"""Mutual Pair Merging inside timm's Vision Transformers, in PyTorch alone.

>>> model = timm.create_model("vit_small_patch14_dinov2", pretrained=True, img_size=518).eval()
>>> mpm_dnn.torch.patch(model, merge_before=(2, 5))
>>> tokens = model.forward_features(images)     # of the shape that it had, with fewer tokens inside
>>> model.merging.rows, model.merging.map       # what was left behind each merge; where each patch went

Padded batches: x is [B, N, D] patch tokens, of which the first lengths[b] of image b live.
"""

import torch
from torch.nn import functional


@torch.no_grad()
def match(x, lengths):
    """Each row's most similar other row by cosine [B, N]; ties take the lowest index."""
    unit = functional.normalize(x, dim=-1)
    similarity = unit @ unit.transpose(1, 2)
    similarity.diagonal(dim1=1, dim2=2).fill_(-torch.inf)
    if int(lengths.min()) < x.shape[1]:
        padding = torch.arange(x.shape[1], device=x.device)[None] >= lengths[:, None]
        similarity.masked_fill_(padding[:, None], -torch.inf)
    return similarity.argmax(dim=2)


def clusters(best, lengths):
    """Map [B, N] of each row to its cluster, in order of lowest members; and the clusters [B]."""
    batch, rows = best.shape
    own = torch.arange(rows, device=best.device).expand(batch, rows)
    mutual = best.gather(1, best) == own
    mutual &= best != own  # of a single row argmax knows nothing better than itself
    mutual &= (own < lengths[:, None]) & (best < lengths[:, None])
    representative = torch.where(mutual, torch.minimum(own, best), own)
    first = (representative == own) & (own < lengths[:, None])
    compact = first.cumsum(1) - 1
    return compact.gather(1, representative), first.sum(1)


def average(x, place, places):
    """Means [B, places, D] of the rows of x that have the same place [B, N], and how many they are."""
    batch, rows, dim = x.shape
    sums = x.new_zeros(batch, places, dim)
    sums.scatter_add_(1, place[..., None].expand_as(x), x)
    sizes = x.new_zeros(batch, places).scatter_add_(1, place, x.new_ones(batch, rows))
    return sums / sizes.clamp(min=1)[..., None], sizes


def merge(x, lengths):
    """One call: (merged [B, longest, D], its lengths, map [B, N] of live rows)."""
    cluster_of, counts = clusters(match(x, lengths), lengths)
    longest = int(counts.max())
    live = torch.arange(x.shape[1], device=x.device)[None] < lengths[:, None]
    place = torch.where(live, cluster_of, longest)  # padding goes to one row that is cut off
    return average(x, place, longest + 1)[0][:, :longest], counts, cluster_of


def restore(x, merge_map):
    """A copy of its live row for every original position: [B, N, D]."""
    return x.gather(1, merge_map[..., None].expand(-1, -1, x.shape[-1]))


class Merging:
    """What the blocks of one patched model share during a forward.

    rows: [merges + 1, B] patch tokens that live, at first and behind each merge. map: [B, N] for each patch its live row.
    """

    def __init__(self, prefix, merge_before):
        self.prefix, self.merge_before = prefix, frozenset(merge_before)
        self.rows = self.map = None

    def begin(self, x):
        batch, tokens = x.shape[0], x.shape[1] - self.prefix
        self.rows = [torch.full((batch,), tokens, device=x.device)]
        self.map = torch.arange(tokens, device=x.device).expand(batch, tokens)

    def merge(self, x):
        merged, lengths, step = merge(x[:, self.prefix :], self.rows[-1])
        self.rows.append(lengths)
        self.map = step.gather(1, self.map)
        return torch.cat([x[:, : self.prefix], merged], dim=1)

    def keys(self, x):
        """True for each key that lives, [B, 1, 1, N], or None where no image of the batch is padded."""
        if int(self.rows[-1].min()) == x.shape[1] - self.prefix:
            return None
        return (torch.arange(x.shape[1], device=x.device)[None] < self.rows[-1][:, None] + self.prefix)[:, None, None]

    def end(self, x):
        self.rows = torch.stack(self.rows)
        return torch.cat([x[:, : self.prefix], restore(x[:, self.prefix :], self.map)], dim=1)


def patch(model, merge_before=(2, 5)):
    """Merges patch tokens in front of these blocks of timm's VisionTransformer, and restores them behind the last one.

    Weights and outputs keep their shapes; model.merging says what merged. Tokens that are each other's nearest neighbour by
    cosine are averaged, images of a batch each by themselves, as mpm::readNet does it. Call it again for another schedule,
    with () to merge nothing. Returns the model.
    """
    blocks = getattr(model, "blocks", None)
    if blocks is None or not hasattr(model, "num_prefix_tokens"):
        raise TypeError(f"{type(model).__name__} is not a VisionTransformer of timm's; export it and use mpm_dnn.Net")
    wrong = [block for block in merge_before if not 0 <= block < len(blocks)]
    if wrong:
        raise ValueError(f"merge_before has {wrong[0]}; the model has blocks 0 to {len(blocks) - 1}")
    model.merging = merging = Merging(model.num_prefix_tokens, merge_before)
    for index, block in enumerate(blocks):
        block.forward = _forward(type(block).forward.__get__(block), index, len(blocks), merging)
    vars(model).pop("forward_intermediates", None)
    if merging.merge_before:
        model.forward_intermediates = _refuse
    return model


def _forward(forward, index, count, merging):
    def merged(x, attn_mask=None, is_causal=False):
        if attn_mask is not None or is_causal:
            raise NotImplementedError("a mask over patches does not fit merged tokens; call the model without one")
        if index == 0:
            merging.begin(x)
        if index in merging.merge_before:
            x = merging.merge(x)
        keys = merging.keys(x)
        x = forward(x) if keys is None else forward(x, attn_mask=keys)
        return merging.end(x) if index == count - 1 else x

    return merged


def _refuse(*_, **__):
    raise NotImplementedError("tokens between the blocks are merged; patch(model, ()) gives them unmerged")
