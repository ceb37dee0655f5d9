# SPDX-License-Identifier: Apache-2.0
"""Encoders as tutorials and libraries' own layers make them, one part at a time."""

import torch
from torch import nn

from .family import DEPTH, HEADS, WIDTH, other, plain, varied
from .hand_written import HandVit, PreNorm
from .tutorial_attention import (
    BeforeTheTurn,
    HeadsAlone,
    OnHeads,
    TorchHeads,
    Wide,
    both_scaled,
    by_bmm,
    by_log_sum,
    by_operator,
    by_root,
    gains_and_biases,
    half_values,
    heads_below,
    heads_folded,
    heads_in_front,
    in_float,
    of_relu,
    of_sigmoid,
    on_values,
    one_more,
    scores_by_head,
    shifted_first,
)
from .tutorial_parts import (
    ApartNorm,
    ColumnBlock,
    Grouped,
    GroupedRows,
    HalfAdded,
    InPlace,
    Maxout,
    PaddedFirst,
    Pair,
    PixelNorm,
    PlaneBlock,
    PlanePatches,
    Resized,
    ScaledBranches,
    Split,
    SplitOfOne,
    SplitToPlanes,
    Waves,
    dropped,
    low_rank,
    of_residuals,
    weight_normed,
)

F = nn.functional
SIDE, ROWS, PATCH = 8, 64, 8


class PairVit(HandVit):
    def forward(self, image):
        x = self.positions(self.patches(image))
        for block in self.blocks:
            x = block(x)
        return self.linear(self.norm(x[0])[:, 0]), self.norm(x[1])


class OfPlanes(nn.Module):
    """Blocks of columns or planes behind a convolution."""

    def __init__(self, block, columns):
        super().__init__()
        self.project, self.table = nn.Conv2d(3, WIDTH, PATCH, PATCH), nn.Parameter(torch.randn(1, WIDTH, SIDE, SIDE))
        self.blocks = nn.Sequential(*(block() for _ in range(DEPTH)))
        self.columns, self.linear = columns, nn.Linear(WIDTH, 7)

    def forward(self, image):
        x = self.project(image) + self.table
        x = self.blocks(x.flatten(2) if self.columns else x)
        return self.linear(x.flatten(2).mean(-1))


class LongSkips(HandVit):
    """The second half of the blocks reads what the first half gave, as U-ViT does."""

    def __init__(self, **options):
        super().__init__(**options)
        self.skips = nn.ModuleList(nn.Linear(2 * WIDTH, WIDTH) for _ in range(DEPTH // 2))

    def forward(self, image):
        x, kept = self.positions(self.patches(image)), []
        for i, block in enumerate(self.blocks):
            if i >= DEPTH // 2:
                x = self.skips[i - DEPTH // 2](torch.cat([x, kept.pop()], -1))
            x = block(x)
            if i < DEPTH // 2:
                kept.append(x)
        return self.norm(x)


class Repeated(HandVit):
    """One block, again and again."""

    def forward(self, image):
        x = self.positions(self.patches(image))
        for _ in range(DEPTH):
            x = self.blocks[0](x)
        return self.linear(self.norm(x)[:, 0])


class Headed(HandVit):
    """What people put behind an encoder."""

    def __init__(self, spell, more=None, **options):
        super().__init__(**options)
        self.more, self.spell = more() if more else nn.Identity(), spell

    def forward(self, image):
        x, taps = self.positions(self.patches(image)), []
        for block in self.blocks:
            x = block(x)
            taps.append(x)
        return self.spell(self, self.norm(x), taps)


def planes_of(x):
    return x[:, 1:].transpose(1, 2).unflatten(-1, (SIDE, SIDE))


def first_and_mean(model, x, taps):
    return model.linear(x[:, 0] + x[:, 1:].mean(dim=1)), torch.cat([x[:, 0], x[:, 1:].mean(dim=1)], -1)


def pooled(model, x, taps):
    return F.adaptive_avg_pool1d(x.transpose(1, 2), 1).flatten(1)


def largest(model, x, taps):
    return x.amax(1), x[:, 1:].max(dim=1).values


def weighed(model, x, taps):
    return (model.more(x).softmax(1).transpose(1, 2) @ x).squeeze(1)


def at_each_block(model, x, taps):
    return torch.stack([model.linear(each[:, 0]) for each in taps], 1)


def sum_of_taps(model, x, taps):
    return sum(taps) / len(taps)


def joined_taps(model, x, taps):
    return model.more(torch.cat([each[:, 1:] for each in taps], -1))


def shuffled(model, x, taps):
    return F.pixel_shuffle(model.more(planes_of(x)), 4)


def upsampled(model, x, taps):
    return F.interpolate(model.more(planes_of(x)), scale_factor=PATCH, mode="bilinear", align_corners=False).argmax(1).float()


def similar(model, x, taps):
    x = F.normalize(x, dim=-1)
    return x[:, 1:] @ x[:, :1].transpose(1, 2)


class Mirrored(HandVit):
    """The mean of a picture's result and its mirror image's."""

    def forward(self, image):
        return (super().forward(image) + super().forward(image.flip(-1))) / 2


class PixelsLast(HandVit):
    """Pictures as [B, 3, H, W] that are turned and turned back."""

    def forward(self, image):
        return super().forward(image.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2))


class TorchEncoder(nn.Module):
    """nn.TransformerEncoder."""

    def __init__(self, rows_first=False, **options):
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, batch_first=not rows_first, **options)
        self.encoder = nn.TransformerEncoder(layer, DEPTH, enable_nested_tensor=False)
        self.project, self.rows_first = nn.Conv2d(3, WIDTH, PATCH, PATCH), rows_first
        self.first, self.table = nn.Parameter(torch.randn(1, 1, WIDTH)), nn.Parameter(torch.randn(1, ROWS + 1, WIDTH))

    def forward(self, image):
        x = self.project(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.repeat(x.shape[0], 1, 1), x], 1) + self.table
        return self.encoder(x.transpose(0, 1))[0] if self.rows_first else self.encoder(x)[:, 0]


def attending(spell, vectors=0):
    return lambda: HandVit(lambda: PreNorm(attend=lambda: OnHeads(spell, vectors)))


def with_attention(make):
    return lambda: HandVit(lambda: PreNorm(attend=make))


def with_mlp(make):
    return lambda: HandVit(lambda: PreNorm(mix=make))


def with_norm(make):
    return lambda: HandVit(lambda: PreNorm(normalise=make))


def of_blocks(make):
    return lambda: HandVit(make)


def at_places(make):
    return lambda: HandVit(positions=make)


def headed(spell, more=None):
    return lambda: Headed(spell, more)


PLAIN = {
    "head_gains": attending(gains_and_biases, 4),
    "head_shifts_first": attending(shifted_first, 2),
    "head_values": attending(on_values, 2),
    "half_values": attending(half_values),
    "scores_by_head": attending(scores_by_head),
    "heads_in_front": attending(heads_in_front),
    "heads_folded": attending(heads_folded),
    "heads_below": attending(heads_below),
    "log_sum": attending(by_log_sum),
    "in_float": attending(in_float),
    "by_root": attending(by_root),
    "both_scaled": attending(both_scaled),
    "by_bmm": attending(by_bmm),
    "by_operator": attending(by_operator),
    "gains_before_turn": with_attention(BeforeTheTurn),
    "gains_of_heads_alone": with_attention(HeadsAlone),
    "torch_heads": with_attention(TorchHeads),
    "torch_heads_weights": with_attention(lambda: TorchHeads(weights=True)),
    "torch_heads_rows_first": with_attention(lambda: TorchHeads(False)),
    "norm_grouped_rows": with_norm(GroupedRows),
    "norm_apart": with_norm(ApartNorm),
    "mlp_low_rank": with_mlp(low_rank),
    "mlp_weight_normed": with_mlp(weight_normed),
    "mlp_dropped": with_mlp(dropped),
    "block_residuals": of_blocks(of_residuals),
    "block_half_added": of_blocks(HalfAdded),
    "block_in_place": of_blocks(InPlace),
    "block_scaled": of_blocks(ScaledBranches),
    "split": of_blocks(Split),
    "split_of_one": of_blocks(SplitOfOne),
    "split_to_planes": of_blocks(SplitToPlanes),
    "split_pair": lambda: PairVit(Pair),
    "padded_first": at_places(lambda: PaddedFirst("added")),
    "padded_written": at_places(lambda: PaddedFirst("written")),
    "padded_last": at_places(lambda: PaddedFirst("last")),
    "padded_zeros": at_places(lambda: PaddedFirst("zeros")),
    "positions_waves": at_places(Waves),
    "positions_resized": at_places(Resized),
    "patches_planes": lambda: HandVit(patches=PlanePatches),
    "patches_planes_normed": lambda: HandVit(patches=lambda: PlanePatches(True)),
    "patches_pixels": lambda: HandVit(patches=PixelNorm),
    "columns": lambda: OfPlanes(ColumnBlock, True),
    "planes": lambda: OfPlanes(PlaneBlock, False),
    "repeated": Repeated,
    "pixels_last": PixelsLast,
    "first_and_mean": headed(first_and_mean),
    "pooled": headed(pooled),
    "largest": headed(largest),
    "weighed": headed(weighed, lambda: nn.Linear(WIDTH, 1)),
    "at_each_block": headed(at_each_block),
    "sum_of_taps": headed(sum_of_taps),
    "joined_taps": headed(joined_taps, lambda: nn.Linear(DEPTH * WIDTH, 5)),
    "shuffled": headed(shuffled, lambda: nn.Conv2d(WIDTH, 32, 3, padding=1)),
    "upsampled": headed(upsampled, lambda: nn.Conv2d(WIDTH, 5, 1)),
    "similar": headed(similar),
    "torch_encoder": lambda: TorchEncoder(norm_first=True, activation="gelu"),
    "torch_encoder_behind": TorchEncoder,
    "torch_encoder_rows_first": lambda: TorchEncoder(True, norm_first=True, activation="gelu"),
}
OTHERS = {
    "wide_values": with_attention(Wide),
    "softmax_one_more": attending(one_more),
    "attention_relu": attending(of_relu),
    "attention_sigmoid": attending(of_sigmoid),
    "norm_two_groups": with_norm(lambda: GroupedRows(2)),
    "mlp_maxout": with_mlp(Maxout),
    "mlp_grouped": with_mlp(Grouped),
    "long_skips": LongSkips,
}
FAMILIES = {
    **{f"tutorial_{name}": plain(build) for name, build in PLAIN.items()},
    **{f"tutorial_{name}": other(build) for name, build in OTHERS.items()},
    "tutorial_mirrored": varied(Mirrored),
}
