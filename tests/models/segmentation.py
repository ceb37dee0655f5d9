# SPDX-License-Identifier: Apache-2.0
"""Fixtures in the manner of mmsegmentation: a plain ViT under SETR and UPerNet heads.

Own modules: mmsegmentation itself needs compiled packages. What matters is kept: its ViT's blocks
hold nn.MultiheadAttention, which wants tokens first; features are taken at several blocks; the heads
reshape tokens to a map.
"""

import functools

import torch
from torch import nn

from fixture import CLASSES, DIM, HEADS, HIDDEN, PATCH, SQUARE, Fixture


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(DIM, eps=1e-6)
        self.attn = nn.MultiheadAttention(DIM, HEADS)
        self.ln2 = nn.LayerNorm(DIM, eps=1e-6)
        self.ffn = nn.Sequential(nn.Linear(DIM, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, DIM))

    def forward(self, x):
        y = self.ln1(x).transpose(0, 1)
        x = x + self.attn(y, y, y)[0].transpose(0, 1)
        return x + self.ffn(self.ln2(x))


class Backbone(nn.Module):
    """The feature maps [B, DIM, h, w] after the blocks in `taps`."""

    def __init__(self, grid, depth, taps, final_norm):
        super().__init__()
        self.grid = grid
        self.taps = taps
        self.projection = nn.Conv2d(3, DIM, PATCH, PATCH)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, DIM))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + grid[0] * grid[1], DIM))
        self.layers = nn.ModuleList([Block() for _ in range(depth)])
        self.norm = nn.LayerNorm(DIM, eps=1e-6) if final_norm else None

    def forward(self, image):
        x = self.projection(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1) + self.pos_embed
        maps = []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i + 1 == len(self.layers) and self.norm is not None:
                x = self.norm(x)
            if i in self.taps:
                tokens = x[:, 1:]
                tokens = tokens.reshape(tokens.shape[0], *self.grid, DIM)
                maps.append(tokens.permute(0, 3, 1, 2).contiguous())
        return maps


def conv(inputs, outputs, kernel):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


def upsample(factor):
    return nn.Upsample(scale_factor=factor, mode="bilinear", align_corners=False)


class Setr(nn.Module):
    """SETR naive (kernel 1, one step of x4) or PUP (kernel 3, steps of x2), norm in the head."""

    def __init__(self, steps, factor, kernel):
        super().__init__()
        self.backbone = Backbone((6, 8), 2, (1,), final_norm=False)
        self.norm = nn.LayerNorm(DIM, eps=1e-6)
        ups = []
        for i in range(steps):
            ups += [conv(DIM if i == 0 else 8, 8, kernel), upsample(factor)]
        self.up_convs = nn.Sequential(*ups)
        self.conv_seg = nn.Conv2d(8, CLASSES, 1)

    def forward(self, image):
        x = self.backbone(image)[-1]
        batch, dim, height, width = x.shape
        x = self.norm(x.reshape(batch, dim, height * width).transpose(2, 1))
        x = x.transpose(1, 2).reshape(batch, dim, height, width).contiguous()
        return self.conv_seg(self.up_convs(x))


class Pyramid(nn.Module):
    """Pyramid pooling of a 4 x 4 map by 1 x 1, 2 x 2 and 4 x 4 cells."""

    def __init__(self, channels):
        super().__init__()
        self.stages = nn.ModuleList(
            [
                nn.Sequential(nn.AdaptiveAvgPool2d(cells), conv(DIM, channels, 1))
                for cells in (1, 2, 4)
            ]
        )
        self.bottleneck = conv(DIM + 3 * channels, channels, 3)

    def forward(self, x):
        size = x.shape[2:]
        parts = [x]
        for stage in self.stages:
            parts.append(resize(stage(x), size))
        return self.bottleneck(torch.cat(parts, dim=1))


def resize(x, size):
    return nn.functional.interpolate(x, size=size, mode="bilinear", align_corners=False)


class UperNet(nn.Module):
    """UPerNet on one ViT, as in BEiT and MAE: maps of blocks 1, 3, 5, 7 brought to four scales."""

    def __init__(self, channels=8):
        super().__init__()
        self.backbone = Backbone((8, 8), 8, (1, 3, 5, 7), final_norm=True)
        self.fpn1 = nn.Sequential(
            nn.ConvTranspose2d(DIM, DIM, 2, 2),
            nn.BatchNorm2d(DIM),
            nn.GELU(),
            nn.ConvTranspose2d(DIM, DIM, 2, 2),
        )
        self.fpn2 = nn.ConvTranspose2d(DIM, DIM, 2, 2)
        self.fpn3 = nn.Identity()
        self.fpn4 = nn.MaxPool2d(2, 2)
        self.lateral_convs = nn.ModuleList([conv(DIM, channels, 1) for _ in range(3)])
        self.psp = Pyramid(channels)
        self.fpn_convs = nn.ModuleList([conv(channels, channels, 3) for _ in range(3)])
        self.fpn_bottleneck = conv(4 * channels, channels, 3)
        self.conv_seg = nn.Conv2d(channels, CLASSES, 1)

    def forward(self, image):
        necks = (self.fpn1, self.fpn2, self.fpn3, self.fpn4)
        maps = [neck(x) for neck, x in zip(necks, self.backbone(image))]
        laterals = [lateral(x) for lateral, x in zip(self.lateral_convs, maps)]
        laterals.append(self.psp(maps[3]))
        for i in (2, 1, 0):
            laterals[i] = laterals[i] + resize(laterals[i + 1], laterals[i].shape[2:])
        fused = [smooth(x) for smooth, x in zip(self.fpn_convs, laterals)] + [laterals[3]]
        size = fused[0].shape[2:]
        fused = torch.cat([fused[0]] + [resize(x, size) for x in fused[1:]], dim=1)
        return self.conv_seg(self.fpn_bottleneck(fused))


def fixtures():
    def make(name, variant, build, **options):
        facts = {"blocks": 2, "layout": "tokens first in attention"}
        facts.update(options.pop("facts", {}))
        return Fixture(name, "mmseg", variant, build, ("masks",), facts=facts, **options)

    return [
        make("setr_naive", "SETR naive", functools.partial(Setr, 1, 4, 1)),
        make("setr_pup", "SETR PUP", functools.partial(Setr, 2, 2, 3), opset=13),
        make(
            "upernet",
            "UPerNet, features of blocks 1, 3, 5 and 7",
            UperNet,
            input=SQUARE,
            dynamic=(),
            facts={"blocks": 8, "taps": [1, 3, 5, 7]},
        ),
    ]
