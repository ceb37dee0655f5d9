# SPDX-License-Identifier: Apache-2.0
"""Mutual Pair Merging as the paper has it, in PyTorch, on padded batches.

x is [B, N, D] image tokens. Of image b the first lengths[b] rows live, the others are padding.
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
