# SPDX-License-Identifier: Apache-2.0
"""Norms, MLPs, blocks and tokens of tutorials: dropouts and idle modules in odd places, tokens that are cut apart and joined
again, rows that are columns or planes."""

import torch
from einops import rearrange
from torch import nn

from .family import HEADS, WIDTH
from .hand_heads import SCALE
from .hand_written import PreNorm
from .tutorial_attention import OnHeads, by_root

F = nn.functional
SIDE, ROWS, PATCH = 8, 64, 8


class GroupedRows(nn.Module):
    """GroupNorm of rows that are images of one pixel."""

    def __init__(self, groups=1):
        super().__init__()
        self.norm = nn.GroupNorm(groups, WIDTH)

    def forward(self, x):
        return self.norm(x.flatten(0, 1)).view_as(x)


class ApartNorm(nn.Module):
    """A norm without weights, then a gain and a shift by hand."""

    def __init__(self):
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.randn(WIDTH)), nn.Parameter(torch.randn(1, 1, WIDTH))

    def forward(self, x):
        return torch.addcmul(self.shift, F.layer_norm(x, (WIDTH,)), 1 + self.gain)


class Maxout(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return self.last(self.first(x).unflatten(-1, (2 * WIDTH, 2)).amax(-1))


class Grouped(nn.Module):
    """Layers of four groups of features."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Parameter(torch.randn(4, WIDTH // 4, WIDTH // 2)), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return self.last(F.gelu(torch.einsum("bngi,gio->bngo", x.unflatten(-1, (4, -1)), self.first).flatten(2)))


def low_rank():
    return nn.Sequential(
        nn.Linear(WIDTH, 8, bias=False), nn.Linear(8, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, 8, bias=False), nn.Linear(8, WIDTH)
    )  # fmt: skip


def weight_normed():
    normed = nn.utils.parametrizations.weight_norm
    return nn.Sequential(normed(nn.Linear(WIDTH, 2 * WIDTH)), nn.GELU(), normed(nn.Linear(2 * WIDTH, WIDTH)))


def dropped():
    return nn.Sequential(nn.Dropout(0.1), nn.Linear(WIDTH, 2 * WIDTH), nn.Identity(), nn.GELU(), nn.Dropout(0.2), nn.Identity(),
                         nn.Linear(2 * WIDTH, WIDTH), nn.Dropout(0.1))  # fmt: skip


class Residual(nn.Module):
    def __init__(self, branch):
        super().__init__()
        self.branch, self.drop = branch, nn.Dropout(0.3)

    def forward(self, x):
        return torch.add(self.drop(self.branch(x)), x)


def of_residuals():
    attend = Residual(nn.Sequential(nn.Identity(), nn.LayerNorm(WIDTH), nn.Dropout(0.1), OnHeads(by_root), nn.Dropout(0.1)))
    return nn.Sequential(attend, nn.Identity(), Residual(nn.Sequential(nn.LayerNorm(WIDTH), dropped())))


class HalfAdded(PreNorm):
    def forward(self, x):
        x = torch.add(x, self.attend(self.norms[0](x)), alpha=0.5)
        return torch.add(x, self.mix(self.norms[1](x)), alpha=0.5)


class InPlace(PreNorm):
    def forward(self, x):
        x = x.clone()
        x += self.attend(self.norms[0](x))
        x.add_(self.mix(self.norms[1](x)))
        return x


class ScaledBranches(PreNorm):
    """LayerScale by hand, of [1, 1, D] and of numbers."""

    def __init__(self):
        super().__init__()
        self.gamma, self.number = nn.Parameter(torch.randn(1, 1, WIDTH)), nn.Parameter(torch.rand(()) + 0.5)

    def forward(self, x):
        x = x + self.attend(self.norms[0](x)) * self.gamma
        return x + self.number * self.mix(self.norms[1](x))


class Split(PreNorm):
    """The class token and the patches are two values between blocks."""

    def forward(self, x):
        x = super().forward(x)
        first, patches = x[:, :1], x[:, 1:]
        return torch.cat((first, patches), dim=1)


class SplitOfOne(PreNorm):
    def forward(self, x):
        x = super().forward(x)
        return torch.cat((x[:, 0].unsqueeze(1), x[:, 1:]), dim=1)


class SplitToPlanes(PreNorm):
    """Patches become planes in between, of which nothing is made."""

    def forward(self, x):
        x = super().forward(x)
        first, patches = torch.split(x, [1, ROWS], 1)
        planes = rearrange(patches, "b (h w) d -> b d h w", h=SIDE)
        return torch.cat([first, planes.flatten(2).transpose(1, 2)], 1)


class Pair(PreNorm):
    """A block that is given two values and gives two."""

    def forward(self, x):
        first, patches = x if isinstance(x, tuple) else (x[:, :1], x[:, 1:])
        x = super().forward(torch.cat([first, patches], 1))
        return x[:, :1], x[:, 1:]


class PaddedFirst(nn.Module):
    """A row of zeros in front, to which a class token comes by a sum, or by writing it."""

    def __init__(self, way):
        super().__init__()
        self.first, self.table = nn.Parameter(torch.randn(1, 1, WIDTH)), nn.Parameter(torch.randn(1, ROWS + 1, WIDTH))
        self.way = way

    def forward(self, x):
        if self.way == "last":
            return F.pad(x, (0, 0, 0, 1)) + self.table
        if self.way == "zeros":
            x = torch.cat([torch.zeros_like(x[:, :1]), x], 1)
            return x + F.pad(self.first, (0, 0, 0, ROWS)) + self.table
        x = F.pad(x, (0, 0, 1, 0))
        if self.way == "written":
            x = x.clone()
            x[:, 0] = self.first[:, 0]
        return x + self.table


class Waves(nn.Module):
    """Sines and cosines of two axes, worked out on the way."""

    def forward(self, x):
        rate = 100.0 ** (-torch.arange(WIDTH // 4, dtype=x.dtype) / (WIDTH // 4))
        angles = torch.arange(SIDE, dtype=x.dtype)[:, None] * rate
        lines = angles[:, None].expand(-1, SIDE, -1).flatten(0, 1)
        columns = angles[None].expand(SIDE, -1, -1).flatten(0, 1)
        return x + torch.cat([lines.sin(), lines.cos(), columns.sin(), columns.cos()], -1)


class Resized(nn.Module):
    """Positions of another grid, resized where they are used."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, WIDTH, 5, 5))

    def forward(self, x):
        table = F.interpolate(self.table, size=(SIDE, SIDE), mode="bicubic", align_corners=False)
        return x + table.flatten(2).transpose(1, 2)


class PlanePatches(nn.Module):
    """Positions are added to planes; with a norm over the batch, or without."""

    def __init__(self, norm=False):
        super().__init__()
        self.project, self.table = nn.Conv2d(3, WIDTH, PATCH, PATCH, bias=False), nn.Parameter(torch.randn(1, WIDTH, SIDE, SIDE))
        self.norm = nn.BatchNorm2d(WIDTH) if norm else nn.Identity()

    def forward(self, image):
        return (self.norm(self.project(image)) + self.table).flatten(-2).permute(0, 2, 1)


class PixelNorm(nn.Module):
    """A picture of bytes as floats, brought to a mean and a deviation."""

    def __init__(self):
        super().__init__()
        self.project = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("deviation", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))

    def forward(self, image):
        return self.project((image * 0.5 + 0.5 - self.mean) / self.deviation).flatten(2).transpose(-1, -2)


class ColumnNorm(nn.Module):
    """LayerNorm over the second axis, by hand."""

    def __init__(self, more=1):
        super().__init__()
        shape = (1, WIDTH, *(1,) * more)
        self.scale, self.shift = nn.Parameter(torch.ones(shape)), nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        mean, variance = x.mean(1, keepdim=True), x.var(1, keepdim=True, unbiased=False)
        return (x - mean) / (variance + 1e-5).sqrt() * self.scale + self.shift


class ColumnBlock(nn.Module):
    """Rows are columns [B, D, N] all through, linear layers convolutions of one of them."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(ColumnNorm() for _ in range(2))
        self.qkv, self.out = nn.Conv1d(WIDTH, 3 * WIDTH, 1), nn.Conv1d(WIDTH, WIDTH, 1)
        self.mix = nn.Sequential(nn.Conv1d(WIDTH, 2 * WIDTH, 1), nn.GELU(), nn.Conv1d(2 * WIDTH, WIDTH, 1))

    def forward(self, x):
        q, k, v = (rearrange(part, "b (h d) n -> b h d n", h=HEADS) for part in self.qkv(self.norms[0](x)).chunk(3, 1))
        weights = (q.transpose(-2, -1) @ k * SCALE).softmax(-1)
        x = x + self.out((v @ weights.transpose(-2, -1)).flatten(1, 2))
        return x + self.mix(self.norms[1](x))


class PlaneBlock(nn.Module):
    """Rows are planes [B, D, H, W] all through."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(ColumnNorm(2) for _ in range(2))
        self.qkv, self.out = nn.Conv2d(WIDTH, 3 * WIDTH, 1, bias=False), nn.Conv2d(WIDTH, WIDTH, 1)
        self.mix = nn.Sequential(nn.Conv2d(WIDTH, 2 * WIDTH, 1), nn.GELU(), nn.Conv2d(2 * WIDTH, WIDTH, 1))

    def forward(self, x):
        q, k, v = (rearrange(part, "b (h d) y x -> b h (y x) d", h=HEADS) for part in self.qkv(self.norms[0](x)).chunk(3, 1))
        rows = (q @ k.transpose(-2, -1) * SCALE).softmax(-1) @ v
        x = x + self.out(rearrange(rows, "b h (y x) d -> b (h d) y x", y=SIDE))
        return x + self.mix(self.norms[1](x))
