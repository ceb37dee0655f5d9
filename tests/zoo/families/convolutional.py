# SPDX-License-Identifier: Apache-2.0
"""Segmentation and features by convolutions, as their papers' code has them."""

import torch
from torch import nn
from torch.nn import functional

from .detectors import Unit
from .family import other

CLASSES = 5


def unit(a, b, kernel=3, stride=1, groups=1):
    return Unit(a, b, kernel, stride, groups, nn.ReLU)


def resized(x, size, corners=False):
    return functional.interpolate(x, size=size, mode="bilinear", align_corners=corners)


class Stem(nn.Sequential):
    """Maps of a quarter, an eighth and a sixteenth are made of it in turn."""

    def __init__(self, width=16):
        super().__init__(unit(3, 8, 3, 2), unit(8, width, 3, 2), unit(width, width, 3, 2))


class Attended(nn.Module):
    """Channels weighed by their means."""

    def __init__(self, width, gate=nn.Sigmoid, with_norm=True):
        super().__init__()
        norm = nn.BatchNorm2d(width) if with_norm else nn.Identity()
        self.weigh = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width, 1, bias=not with_norm), norm, gate())

    def forward(self, x):
        return x * self.weigh(x)


class TwoPaths(nn.Module):
    """As BiSeNet: a fine path and a deep one that are fused."""

    def __init__(self):
        super().__init__()
        self.fine, self.deep = Stem(), nn.Sequential(Stem(), unit(16, 16, 3, 2), unit(16, 16, 3, 2))
        self.context, self.arm = nn.Conv2d(16, 16, 1), Attended(16)
        self.fuse, self.gate = unit(32, 32, 1), Attended(32, with_norm=False)
        self.last = nn.Conv2d(32, CLASSES, 1)

    def forward(self, image):
        fine, deep = self.fine(image), self.deep(image)
        context = self.context(deep.mean((2, 3), keepdim=True))
        deep = self.arm(deep) + functional.interpolate(context, deep.shape[2:], mode="nearest")
        fused = self.fuse(torch.cat([fine, resized(deep, fine.shape[2:], True)], 1))
        return resized(self.last(fused + self.gate(fused)), image.shape[2:], True)


class ThreeBranches(nn.Module):
    """As PIDNet: pixels choose between detail and context, a branch of edges says how."""

    def __init__(self):
        super().__init__()
        self.stem = Stem()
        self.p, self.i, self.d = unit(16, 16), nn.Sequential(unit(16, 16, 3, 2), unit(16, 16, 3, 2)), unit(16, 16)
        self.of_p, self.of_i = nn.Conv2d(16, 8, 1), nn.Conv2d(16, 8, 1)
        self.scales = nn.ModuleList(
            nn.Sequential(nn.AvgPool2d(kernel, stride, padding), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 1))
            for kernel, stride, padding in ((3, 1, 1), (5, 2, 2))
        )
        self.whole = nn.Sequential(nn.AdaptiveAvgPool2d((1, 1)), nn.Conv2d(16, 8, 1))
        self.join = nn.Conv2d(24, 16, 3, padding=1, groups=1)
        self.last, self.edge = nn.Conv2d(16, CLASSES, 1), nn.Conv2d(16, 1, 1)

    def forward(self, image):
        x = self.stem(image)
        p, i, d = self.p(x), self.i(x), self.d(x)
        size = p.shape[-2:]
        alike = torch.sigmoid((self.of_p(p) * resized(self.of_i(i), size)).sum(1, keepdim=True))
        p = alike * resized(i, size) + (1 - alike) * p
        parts = [resized(scale(i), i.shape[-2:]) for scale in self.scales]
        parts.append(resized(self.whole(i), i.shape[-2:]).expand(-1, -1, *i.shape[-2:]))
        i = resized(self.join(torch.cat(parts, 1)), size)
        edge = torch.sigmoid(d)
        return resized(self.last(edge * p + (1 - edge) * i), image.shape[-2:]), self.edge(d)


class Bins(nn.Module):
    """As Fast-SCNN and PSPNet: pools of 1, 2, 3 and 6 bins, depthwise convolutions."""

    def __init__(self, bins=(1, 2, 3, 6), corners=True):
        super().__init__()
        self.stem, self.corners = Stem(), corners
        self.deep = nn.Sequential(unit(16, 32, 1), unit(32, 32, 3, 1, 32), unit(32, 16, 1))
        self.pools = nn.ModuleList(nn.Sequential(nn.AdaptiveAvgPool2d(bin_), unit(16, 4, 1)) for bin_ in bins)
        self.last = nn.Conv2d(16 + 4 * len(bins), CLASSES, 1)

    def forward(self, image):
        x = self.deep(self.stem(image))
        parts = [x] + [resized(pool(x), x.shape[2:], self.corners) for pool in self.pools]
        return resized(self.last(torch.cat(parts, 1)), image.shape[2:], self.corners)


class Dilated(nn.Module):
    """DeepLab's pyramid of dilations with a skip connection."""

    def __init__(self):
        super().__init__()
        self.early, self.stem = nn.Sequential(unit(3, 8, 3, 2), unit(8, 16, 3, 2)), unit(16, 16, 3, 2)
        self.rates = nn.ModuleList(
            nn.Sequential(nn.Conv2d(16, 8, 3, padding=rate, dilation=rate, bias=False), nn.BatchNorm2d(8), nn.ReLU())
            for rate in (1, 2, 4, 6)
        )
        self.whole = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 8, 1, bias=False), nn.ReLU())
        self.skip, self.project = unit(16, 8, 1), nn.Sequential(unit(40, 16, 1), nn.Dropout(0.5))
        self.last = nn.Sequential(unit(24, 16), nn.Conv2d(16, CLASSES, 1))

    def forward(self, image):
        early = self.early(image)
        x = self.stem(early)
        parts = [rate(x) for rate in self.rates] + [resized(self.whole(x), x.shape[-2:])]
        x = resized(self.project(torch.cat(parts, 1)), early.shape[-2:])
        return resized(self.last(torch.cat([self.skip(early), x], 1)), image.shape[-2:])


class Steps(nn.Module):
    """U-Net with transposed convolutions, an odd size in between, and padding to the skip."""

    def __init__(self, output_padding=1, norm=nn.BatchNorm2d, activation=nn.ReLU):
        super().__init__()
        rows = [3, 8, 16, 32]
        self.down = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, padding=1), norm(b), activation()) for a, b in zip(rows, rows[1:])
        )
        kernel = 3 if output_padding else 2
        padding = 1 if output_padding else 0
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(b, a, kernel, 2, padding, output_padding) for a, b in ((16, 32), (8, 16))
        )
        self.join = nn.ModuleList(nn.Sequential(nn.Conv2d(2 * a, a, 3, padding=1), norm(a), activation()) for a in (16, 8))
        self.last = nn.Conv2d(8, 1, 1)

    def forward(self, image):
        first = self.down[0](image)
        second = self.down[1](functional.max_pool2d(first, 2))
        x = self.down[2](functional.max_pool2d(second, 2))
        for up, join, skip in zip(self.up, self.join, (second, first)):
            x = up(x)
            high, wide = skip.shape[2] - x.shape[2], skip.shape[3] - x.shape[3]
            x = functional.pad(x, [wide // 2, wide - wide // 2, high // 2, high - high // 2])
            x = join(torch.cat([skip, x], 1))
        return torch.sigmoid(self.last(x))


class Nested(nn.Module):
    """As U2-Net: each step is a small U-Net; masks of all steps, pools that round up."""

    class Small(nn.Module):
        def __init__(self, a, middle, b):
            super().__init__()
            self.first, self.one, self.two = unit(a, b), unit(b, middle), unit(middle, middle)
            self.deep = nn.Sequential(nn.Conv2d(middle, middle, 3, padding=2, dilation=2), nn.BatchNorm2d(middle), nn.ReLU())
            self.up, self.last = unit(2 * middle, middle), unit(2 * middle, b)
            self.pool = nn.MaxPool2d(2, stride=2, ceil_mode=True)

        def forward(self, x):
            first = self.first(x)
            one = self.one(first)
            two = self.two(self.pool(one))
            x = self.up(torch.cat([self.deep(two), two], 1))
            return self.last(torch.cat([resized(x, one.shape[2:]), one], 1)) + first

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([self.Small(3, 4, 8), self.Small(8, 4, 8), self.Small(8, 4, 8)])
        self.sides = nn.ModuleList(nn.Conv2d(8, 1, 3, padding=1) for _ in range(3))
        self.pool, self.last = nn.MaxPool2d(2, stride=2, ceil_mode=True), nn.Conv2d(3, 1, 1)

    def forward(self, image):
        x, masks = image, []
        for i, (step, side) in enumerate(zip(self.steps, self.sides)):
            x = step(self.pool(x) if i else x)
            masks.append(resized(side(x), image.shape[2:]))
        masks.insert(0, self.last(torch.cat(masks, 1)))
        return tuple(torch.sigmoid(mask) for mask in masks)


class Deformed(nn.Module):
    """A deformable convolution written out: offsets, sampling by GridSample, a product."""

    def __init__(self, a=8, b=8):
        super().__init__()
        self.stem = unit(3, a, 3, 4)
        self.offsets, self.masks = nn.Conv2d(a, 18, 3, padding=1), nn.Conv2d(a, 9, 3, padding=1)
        self.weight = nn.Parameter(torch.randn(b, a * 9))

    def forward(self, image):
        x = self.stem(image)
        batch, width, high, wide = x.shape
        offsets, masks = self.offsets(x).view(batch, 9, 2, high, wide), self.masks(x).sigmoid()
        ys, xs = torch.meshgrid(torch.arange(high).float(), torch.arange(wide).float(), indexing="ij")
        parts = []
        for i in range(9):
            y = ys + i // 3 - 1 + offsets[:, i, 0]
            x_ = xs + i % 3 - 1 + offsets[:, i, 1]
            grid = torch.stack([2 * x_ / (wide - 1) - 1, 2 * y / (high - 1) - 1], -1)
            parts.append(functional.grid_sample(x, grid, padding_mode="zeros", align_corners=True) * masks[:, i : i + 1])
        joined = torch.stack(parts, 2).flatten(1, 2).flatten(2)
        return (self.weight @ joined).view(batch, -1, high, wide)


class Patchwise(nn.Module):
    """As BiRefNet: the picture as patches beside the maps, a decoder that gets them at each step."""

    def __init__(self):
        super().__init__()
        self.stem, self.deep = Stem(), unit(16, 16, 3, 2)
        self.of_patches = nn.Conv2d(3 * 64, 8, 3, padding=1)
        self.join, self.gate, self.last = unit(40, 16), nn.Conv2d(16, 1, 1), nn.Conv2d(16, 1, 1)

    def forward(self, image):
        x = self.stem(image)
        deep = self.deep(x)
        batch, channels, high, wide = image.shape
        patches = image.view(batch, channels, high // 8, 8, wide // 8, 8).permute(0, 1, 3, 5, 2, 4)
        patches = self.of_patches(patches.reshape(batch, channels * 64, high // 8, wide // 8))
        x = self.join(torch.cat([x, resized(deep, x.shape[2:], True), patches], 1))
        x = x * self.gate(x).sigmoid()
        return resized(self.last(x), (high, wide), True)


class Branches(nn.Module):
    """MobileOne and RepVGG before they are folded: three branches, each with its norm."""

    def __init__(self):
        super().__init__()
        self.stem, self.three = Stem(), nn.Sequential(nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16))
        self.one = nn.Sequential(nn.Conv2d(16, 16, 1, bias=False), nn.BatchNorm2d(16))
        self.same, self.last = nn.BatchNorm2d(16), nn.Linear(16, CLASSES)

    def forward(self, image):
        x = self.stem(image)
        x = functional.relu(self.three(x) + self.one(x) + self.same(x))
        return self.last(x.mean([2, 3]))


class Shuffled(nn.Module):
    """ShuffleNet's channels, GhostNet's cheap maps, MobileNetV3's gates."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 4, 1, bias=False), nn.BatchNorm2d(16), nn.Hardswish())
        self.right = nn.Sequential(unit(8, 8, 1), nn.Conv2d(8, 8, 3, 1, 1, groups=8), nn.BatchNorm2d(8), unit(8, 8, 1))
        self.ghost, self.cheap = unit(16, 8, 1), unit(8, 8, 3, 1, 8)
        self.gate, self.last = Attended(16, nn.Hardsigmoid), nn.Linear(16, CLASSES)

    def forward(self, image):
        x = self.stem(image)
        left, right = x.chunk(2, 1)
        x = torch.cat([left, self.right(right)], 1)
        batch, channels, high, wide = x.shape
        x = x.view(batch, 2, channels // 2, high, wide).transpose(1, 2).contiguous().view(batch, -1, high, wide)
        ghost = self.ghost(x)
        x = self.gate(torch.cat([ghost, self.cheap(ghost)], 1))
        return self.last(functional.adaptive_avg_pool2d(x, 1).flatten(1)).log_softmax(1)


class Normed(nn.Module):
    """Norms of all kinds: groups, instances, layers over channels that come first, ConvNeXt's block and its GRN."""

    class Channels(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

        def forward(self, x):
            mean = x.mean(1, keepdim=True)
            spread = (x - mean).pow(2).mean(1, keepdim=True)
            return self.weight[:, None, None] * ((x - mean) / torch.sqrt(spread + 1e-6)) + self.bias[:, None, None]

    def __init__(self):
        super().__init__()
        self.stem, self.channels = nn.Conv2d(3, 16, 4, 4), self.Channels(16)
        self.groups, self.instances = nn.GroupNorm(4, 16), nn.InstanceNorm2d(16, affine=True)
        self.deep, self.last_norm = nn.Conv2d(16, 16, 7, padding=3, groups=16), nn.LayerNorm(16, eps=1e-6)
        self.wide, self.narrow = nn.Linear(16, 32), nn.Linear(32, 16)
        self.scale, self.shift = nn.Parameter(torch.randn(32)), nn.Parameter(torch.randn(32))

    def forward(self, image):
        x = self.channels(self.stem(image))
        x = functional.silu(self.groups(x)) + functional.leaky_relu(self.instances(x), 0.2)
        y = functional.gelu(self.wide(self.last_norm(self.deep(x).permute(0, 2, 3, 1))))
        lengths = torch.norm(y, p=2, dim=(1, 2), keepdim=True)
        y = y * (lengths / (lengths.mean(-1, keepdim=True) + 1e-6)) * self.scale + self.shift + y
        return x + self.narrow(y).permute(0, 3, 1, 2)


class Deployed(nn.Module):
    """Pixels in, labels out: bytes [B, H, W, 3] are scaled and turned; softmax, argmax, bytes of the picture's size."""

    def __init__(self, labels):
        super().__init__()
        self.labels, self.net = labels, nn.Sequential(Stem(), nn.Conv2d(16, CLASSES, 1))
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("spread", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))

    def forward(self, image):
        x = image.permute(0, 3, 1, 2).float() if self.labels == "of bytes" else image * 255
        x = (x / 255.0 - self.mean) / self.spread
        x = resized(x, (32, 32))
        x = self.net(x)
        if self.labels == "bytes":
            labels = x.argmax(1, keepdim=True).float()
            return functional.interpolate(labels, size=image.shape[2:], mode="nearest").to(torch.uint8)
        if self.labels == "scores":
            best, labels = resized(x, image.shape[2:]).softmax(1).max(1)
            return best, labels, best > 0.5, labels.to(torch.int32)
        return resized(x, (64, 64)).argmax(1).to(torch.uint8)


FAMILIES = {
    "two_paths": other(TwoPaths),
    "three_branches": other(ThreeBranches, (128, 128)),
    "bins": other(lambda: Bins((1, 2)), (64, 64)),
    "bins_uneven": other(Bins, (96, 96)),
    "bins_half_pixel": other(lambda: Bins(corners=False), (96, 144)),
    "dilated": other(Dilated),
    "unet_turned": other(Steps),
    "unet_plain": other(lambda: Steps(0, nn.InstanceNorm2d, nn.ELU), (44, 52)),
    "unet_group": other(lambda: Steps(0, lambda b: nn.GroupNorm(4, b), nn.Mish)),
    "nested": other(Nested, (52, 60)),
    "deformed": other(Deformed),
    "patchwise": other(Patchwise),
    "branches": other(Branches),
    "shuffled": other(Shuffled),
    "normed": other(Normed),
    "deployed_bytes": other(lambda: Deployed("bytes")),
    "deployed_scores": other(lambda: Deployed("scores")),
}
