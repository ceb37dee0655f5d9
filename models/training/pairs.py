# SPDX-License-Identifier: Apache-2.0
"""The loss that teaches tokens to choose their like, so that merging mixes no classes."""

import merging
import torch
from torch.nn import functional

SOFTNESS = 0.02  # of the choice: about how far a token's two best partners differ in cosine


def class_shares(labels, side, classes):
    """[B, side * side, K]: the share of each class in each patch of labels [B, w, w]."""
    patch = labels.shape[-1] // side
    cut = labels.reshape(-1, side, patch, side, patch)
    return functional.one_hot(cut, classes).float().mean(dim=(2, 4)).flatten(1, 2)


def unlike(rows, shares, sizes):
    """How much of a patch is of another class than in what it is merged with, in the mean over
    patches; those that stay alone count 0. rows [B, R, D] stand for sizes [B, R] patches, 0 behind
    the last live row, with these shares [B, R, K] of classes. A pair is of rows that choose each
    other, and each chooses the most similar one by cosine, made soft so that it can be learned."""
    unit = functional.normalize(rows.float(), dim=-1)
    similarity = unit @ unit.transpose(1, 2)
    never = torch.eye(rows.shape[1], dtype=torch.bool, device=rows.device) | (sizes == 0)[:, None]
    choice = (similarity / SOFTNESS).masked_fill(never, -torch.inf).softmax(dim=2)
    differ = torch.cdist(shares, shares, p=1) / 2
    mixed = (choice * choice.transpose(1, 2) * differ).sum(dim=2)
    return (mixed * sizes).sum() / sizes.sum()


def unlike_pairs(inputs, shares):
    """The sum of `unlike` over merges, each of which sees all tokens [B, N, D] as the network has
    them without merging: the means of those that the merges before it put together."""
    batch, patches, _ = shares.shape
    map_of = torch.arange(patches, device=shares.device).expand(batch, patches)
    counts = torch.full((batch,), patches, device=shares.device)
    total, rows = 0, None
    for tokens in inputs:
        if rows is not None:
            step, counts = merging.clusters(merging.match(rows, counts), counts)
            map_of = step.gather(1, map_of)
        longest = int(counts.max())
        rows, sizes = merging.average(tokens.float(), map_of, longest)
        total = total + unlike(rows, merging.average(shares, map_of, longest)[0], sizes)
    return total
