# SPDX-License-Identifier: Apache-2.0
"""ViTs as people write them themselves: one encoder, of which one part at a time is spelled in another way."""

import torch
from torch import nn

from .family import DEPTH, WIDTH, other, plain, varied
from .hand_attention import ATTENTIONS, Packed
from .hand_heads import einops_rows
from .hand_parts import MLPS, NORMS, PATCHES, Mlp, Plain

ROWS = 64


def attention():
    return Packed(einops_rows)


def mlp():
    return Mlp(nn.GELU())


def norm():
    return nn.LayerNorm(WIDTH)


class PreNorm(nn.Module):
    """x + branch(norm(x)), twice."""

    def __init__(self, attend=attention, mix=mlp, normalise=norm):
        super().__init__()
        self.attend, self.mix = attend(), mix()
        self.norms = nn.ModuleList(normalise() for _ in range(2))

    def forward(self, x):
        x = self.attend(self.norms[0](x)) + x
        return self.mix(self.norms[1](x)) + x


class Joined(PreNorm):
    """The same parts, put together by `spell`."""

    def __init__(self, spell, norms=2, numbers=0, vectors=0, more=()):
        super().__init__()
        self.norms = nn.ModuleList(norm() for _ in range(norms))
        self.numbers = nn.ParameterList(nn.Parameter(torch.rand(1) + 0.2) for _ in range(numbers))
        self.vectors = nn.ParameterList(nn.Parameter(torch.randn(WIDTH)) for _ in range(vectors))
        self.more = nn.ModuleList(make() for make in more)
        self.spell = spell

    def forward(self, x):
        return self.spell(self, x)


def rezero(block, x):
    x = x + block.numbers[0] * block.attend(x)
    return x + block.numbers[1] * block.mix(x)


def rezero_normed(block, x):
    x = x + block.numbers[0] * block.attend(block.norms[0](x))
    return x + block.numbers[1] * block.mix(block.norms[1](x))


def skip_scaled(block, x):
    x = block.numbers[0] * x + block.attend(block.norms[0](x))
    return block.numbers[1] * x + block.mix(block.norms[1](x))


def halved(block, x):
    x = x + 0.5 * block.attend(block.norms[0](x))
    return x + 0.5 * block.mix(block.norms[1](x))


def gated_sum(block, x):
    x = x + block.numbers[0].tanh() * block.attend(block.norms[0](x))
    return x + block.numbers[1].tanh() * block.mix(block.norms[1](x))


def deep_norm(block, x):
    x = block.norms[0](x * 1.6 + block.attend(x))
    return block.norms[1](x * 1.6 + block.mix(x))


def post_norm(block, x):
    x = block.norms[0](x + block.attend(x))
    return block.norms[1](x + block.mix(x))


def branch_norm(block, x):
    x = x + block.norms[0](block.attend(x))
    return x + block.norms[1](block.mix(x))


def sandwich(block, x):
    x = x + block.norms[1](block.attend(block.norms[0](x)))
    return x + block.norms[3](block.mix(block.norms[2](x)))


def parallel(block, x):
    return x + block.attend(block.norms[0](x)) + block.mix(block.norms[1](x))


def parallel_of_one_norm(block, x):
    y = block.norms[0](x)
    return x + (block.attend(y) + block.mix(y))


def layer_scales(block, x):
    x = x + block.vectors[0] * block.attend(block.norms[0](x))
    return x + block.vectors[1] * block.mix(block.norms[1](x))


def skip_vectors(block, x):
    x = x * block.vectors[2] + block.vectors[0] * block.attend(block.norms[0](x))
    return x * block.vectors[3] + block.vectors[1] * block.mix(block.norms[1](x))


def macaron(block, x):
    x = x + 0.5 * block.more[0](block.norms[2](x))
    x = x + block.attend(block.norms[0](x))
    return block.norms[3](x + 0.5 * block.mix(block.norms[1](x)))


def mlp_first(block, x):
    x = x + block.mix(block.norms[0](x))
    return x + block.attend(block.norms[1](x))


def two_mlps(block, x):
    x = x + block.attend(block.norms[0](x))
    x = x + block.mix(block.norms[1](x))
    return x + block.more[0](block.norms[2](x))


def adapter(block, x):
    x = x + block.attend(block.norms[0](x))
    y = block.mix(block.norms[1](x))
    return x + y + block.more[1](torch.relu(block.more[0](y)))


def adapter_beside(block, x):
    x = x + block.attend(block.norms[0](x))
    return x + block.mix(block.norms[1](x)) + 0.1 * block.more[1](torch.relu(block.more[0](x)))


def alone(block, x):
    return x + block.attend(block.norms[0](x))


def bottleneck(inputs, outputs):
    return lambda: nn.Linear(inputs, outputs)


ADAPTER = (bottleneck(WIDTH, 8), bottleneck(8, WIDTH))
BLOCKS = {
    "rezero": lambda: Joined(rezero, 0, 2),
    "rezero_normed": lambda: Joined(rezero_normed, 2, 2),
    "skip_scaled": lambda: Joined(skip_scaled, 2, 2),
    "halved": lambda: Joined(halved),
    "gated_sum": lambda: Joined(gated_sum, 2, 2),
    "deep_norm": lambda: Joined(deep_norm),
    "post_norm": lambda: Joined(post_norm),
    "branch_norm": lambda: Joined(branch_norm),
    "sandwich": lambda: Joined(sandwich, 4),
    "parallel": lambda: Joined(parallel),
    "parallel_of_one_norm": lambda: Joined(parallel_of_one_norm, 1),
    "layer_scales": lambda: Joined(layer_scales, vectors=2),
    "skip_vectors": lambda: Joined(skip_vectors, vectors=4),
    "macaron": lambda: Joined(macaron, 4, more=(mlp,)),
    "mlp_first": lambda: Joined(mlp_first),
    "two_mlps": lambda: Joined(two_mlps, 3, more=(mlp,)),
    "adapter": lambda: Joined(adapter, more=ADAPTER),
    "adapter_beside": lambda: Joined(adapter_beside, more=ADAPTER),
    "alone": lambda: Joined(alone, 1),
}


class Positions(nn.Module):
    """Rows with a class token in front, behind or nowhere, and positions as `way` makes them."""

    def __init__(self, way, place="front"):
        super().__init__()
        self.first = nn.Parameter(torch.randn(1, 1, WIDTH)) if place != "none" else None
        rows = ROWS + (place != "none")
        self.table = nn.Parameter(torch.randn(1, rows, WIDTH))
        self.embedding = nn.Embedding(rows, WIDTH)
        self.lines, self.columns = (nn.Parameter(torch.randn(*s, WIDTH)) for s in ((8, 1), (1, 8)))
        angles = torch.arange(ROWS)[:, None] / 100 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        self.register_buffer("waves", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))
        self.way, self.place = way, place

    def with_first(self, x):
        if self.first is None:
            return x
        first = self.first.expand(x.shape[0], -1, -1)
        return torch.cat([first, x] if self.place == "front" else [x, first], 1)

    def forward(self, x):
        if self.way == "waves":
            return self.with_first(x + self.waves)
        if self.way == "axes":
            return self.with_first(x + (self.lines + self.columns).flatten(0, 1))
        x = self.with_first(x)
        if self.way == "embedding":
            return x + self.embedding(torch.arange(x.shape[1]))
        return x + self.table[:, : x.shape[1]]


POSITIONS = {
    "waves": lambda: Positions("waves"),
    "axes": lambda: Positions("axes"),
    "embedding": lambda: Positions("embedding"),
    "no_class": lambda: Positions("table", "none"),
    "class_last": lambda: Positions("table", "back"),
}


class HandVit(nn.Module):
    def __init__(self, block=PreNorm, patches=Plain, positions=lambda: Positions("table"), head="first"):
        super().__init__()
        self.patches, self.positions = patches(), positions()
        self.blocks = nn.ModuleList(block() for _ in range(DEPTH))
        self.norm, self.linear, self.head = norm(), nn.Linear(WIDTH, 7), head

    def forward(self, image):
        x = self.positions(self.patches(image))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.linear(x[:, 0] if self.head == "first" else x.mean(1) if self.head == "mean" else x)


class Mixed(HandVit):
    """Blocks of two kinds: the `odd` one stands at these places."""

    def __init__(self, odd, places, **options):
        super().__init__(positions=lambda: Positions("table", "none"), head="rows", **options)
        for place in places:
            self.blocks[place] = odd()


# Those whose rows are no rows of tokens any more.
OTHERS = {"norm_batch", "norm_groups", "norm_none"}
VARIED = {"attention_talking", "attention_stacked_pairs"}


def kind_of(name):
    if name in OTHERS:
        return other
    return varied if name in VARIED or name.startswith("windows") else plain


def families():
    found = {}
    for name, make in ATTENTIONS.items():
        if name != "windows":
            found[f"attention_{name}"] = lambda make=make: HandVit(lambda: PreNorm(attend=make))
    for name, make in MLPS.items():
        found[f"mlp_{name}"] = lambda make=make: HandVit(lambda: PreNorm(mix=make))
    for name, make in NORMS.items():
        found[f"norm_{name}"] = lambda make=make: HandVit(lambda: PreNorm(normalise=make))
    for name, make in PATCHES.items():
        found[f"patches_{name}"] = lambda make=make: HandVit(patches=make)
    for name, make in BLOCKS.items():
        found[f"block_{name}"] = lambda make=make: HandVit(make)
    for name, make in POSITIONS.items():
        head = "mean" if name != "class_last" else "rows"
        found[f"positions_{name}"] = lambda make=make, head=head: HandVit(positions=make, head=head)
    within = lambda: PreNorm(attend=ATTENTIONS["windows"])  # noqa: E731
    for places in ((0,), (1,), (0, 2), (0, 1, 2, 3)):
        name = "windows_" + "_".join(map(str, places))
        found[name] = lambda places=places: Mixed(within, places)
    return found


FAMILIES = {
    f"hand_{name}": kind_of(name)(build) for name, build in families().items()
}
