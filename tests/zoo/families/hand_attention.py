# SPDX-License-Identifier: Apache-2.0
"""Attention as people write it themselves, by name."""

from einops import rearrange
from torch import nn

from .family import HEADS, WIDTH
from .hand_head_parts import Bare, ByHead, Cosine, GatedHeads, NormedHeads, StackedPairs, Talking, Warm
from .hand_heads import (
    batched,
    columns,
    einops_rows,
    einsum_heads,
    einsum_packed,
    einsum_rows,
    einsum_turned,
    exponentials,
    head_by_head,
    interleaved,
    shifted,
    shifted_by_all,
    stable_exponentials,
    with_softmax,
)
from .hand_projections import Convolved, HeadModules, Joined, JoinedWeights, KerasHeads
from .hand_shared_keys import (
    Shared,
    by_broadcast,
    by_einsum,
    by_expanding,
    by_groups,
    by_interleaving,
    by_repeating,
    by_tiling,
)


class Packed(nn.Module):
    """One linear layer for q, k and v; `spell` makes rows of what it gives, with the input beside."""

    def __init__(self, spell, bias=True):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=bias)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.spell = spell

    def forward(self, x):
        return self.out(self.spell(self.qkv(x)))


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
