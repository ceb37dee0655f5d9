# SPDX-License-Identifier: Apache-2.0
"""Matting, text, faces, larger pictures, flow and anomalies by convolutions, as their papers' code has them."""

import torch
from torch import nn
from torch.nn import functional

from .convolutional import Stem, resized, unit
from .family import other


class Recurrent(nn.Module):
    """As RVM: a convolutional GRU whose state goes in and out, a mask and a foreground."""

    def __init__(self):
        super().__init__()
        self.stem = Stem()
        self.gates, self.new = nn.Conv2d(16, 16, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1)
        self.last = nn.Conv2d(16, 4, 1)

    def forward(self, image, state):
        still, x = self.stem(image).split(8, 1)
        reset, update = self.gates(torch.cat([x, state], 1)).sigmoid().split(8, 1)
        new = torch.tanh(self.new(torch.cat([x, reset * state], 1)))
        state = (1 - update) * state + update * new
        x = resized(self.last(torch.cat([still, state], 1)), image.shape[2:])
        residual, alpha = x.split([3, 1], 1)
        return (image + residual).clamp(0, 1), alpha.clamp(0.0, 1.0), state


class Texts(nn.Module):
    """As DBNet: two maps and a step between them, by exp; as CRAFT: scores last."""

    def __init__(self, scores_last):
        super().__init__()
        self.stem, self.scores_last = Stem(), scores_last
        self.heads = nn.ModuleList(
            nn.Sequential(unit(16, 8), nn.ConvTranspose2d(8, 8, 2, 2), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 1, 2, 2))
            for _ in range(2)
        )

    def forward(self, image):
        x = self.stem(image)
        shrunk, threshold = (head(x).sigmoid() for head in self.heads)
        if self.scores_last:
            return torch.cat([shrunk, threshold], 1).permute(0, 2, 3, 1), x
        return torch.cat([shrunk, threshold, torch.reciprocal(1 + torch.exp(-50 * (shrunk - threshold)))], 1)


class Faces(nn.Module):
    """As ArcFace: PReLU, flattened, a norm of rows, unit length, likeness to known ones."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.PReLU(8))
        self.second = nn.Sequential(nn.BatchNorm2d(8), nn.Conv2d(8, 16, 3, 4, 1), nn.PReLU(16), nn.BatchNorm2d(16))
        self.shared = nn.PReLU()
        self.last = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(16 * 64, 32), nn.BatchNorm1d(32))
        self.known = nn.Parameter(torch.randn(6, 32))

    def forward(self, image):
        x = functional.normalize(self.last(self.shared(self.second(self.first(image)))))
        return x, functional.linear(x, functional.normalize(self.known)), torch.norm(x[:, :5], 2, 1, True)


class Shuffles(nn.Module):
    """Super-resolution: PixelUnshuffle, PixelShuffle, a sum with the picture made larger."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv2d(12, 12, 3, padding=1), nn.Conv2d(12, 48, 3, padding=1)

    def forward(self, image):
        x = functional.leaky_relu(self.first(functional.pixel_unshuffle(image, 2)), 0.1)
        x = functional.pixel_shuffle(self.last(x), 4)
        return x + functional.interpolate(image, scale_factor=2, mode="bicubic", align_corners=False)


class Volume(nn.Module):
    """Optical flow: all pairs of places, and costs of displacements; maps warped by the flow."""

    def __init__(self):
        super().__init__()
        self.stem, self.flow = Stem(), nn.Conv2d(9, 2, 3, padding=1)

    def forward(self, image):
        one, two = self.stem(image), self.stem(torch.flip(image, [3]))
        batch, width, high, wide = one.shape
        pairs = torch.matmul(one.flatten(2).transpose(1, 2), two.flatten(2)) / width**0.5
        pairs = functional.avg_pool2d(pairs.view(batch * high * wide, 1, high, wide), 2, 2)
        padded = functional.pad(two, (1, 1, 1, 1))
        costs = [(one * padded[:, :, i : i + high, j : j + wide]).mean(1, keepdim=True) for i in range(3) for j in range(3)]
        flow = self.flow(torch.cat(costs, 1))
        ys, xs = torch.meshgrid(torch.arange(high).float(), torch.arange(wide).float(), indexing="ij")
        x, y = xs + flow[:, 0], ys + flow[:, 1]
        grid = torch.stack([2 * x / (wide - 1) - 1, 2 * y / (high - 1) - 1], -1)
        return flow, functional.grid_sample(two, grid, align_corners=True), pairs.view(batch, high * wide, -1).softmax(-1)


class Memory(nn.Module):
    """PatchCore: distances to a bank of patches, the nearest ones, a map smoothed by a Gaussian."""

    def __init__(self, by_cdist=True):
        super().__init__()
        self.stem, self.by_cdist = Stem(), by_cdist
        self.register_buffer("bank", torch.randn(12, 16))

    def forward(self, image):
        map_ = functional.avg_pool2d(self.stem(image), 3, 1, 1)
        batch, width, high, wide = map_.shape
        rows = map_.permute(0, 2, 3, 1).reshape(-1, width)
        if self.by_cdist:
            distances = torch.cdist(rows, self.bank)
        else:
            squares = rows.pow(2).sum(1, keepdim=True) - 2 * rows @ self.bank.t() + self.bank.pow(2).sum(1)
            distances = squares.clamp_min(0).sqrt()
        nearest, places = distances.topk(3, largest=False, dim=1)
        scores = nearest[:, 0].reshape(batch, high * wide)
        score, worst = torch.max(scores, dim=1)
        weight = 1 - functional.softmax(nearest.reshape(batch, -1, 3), -1)[torch.arange(batch), worst, 0]
        smooth = functional.interpolate(scores.view(batch, 1, high, wide), size=image.shape[2:], mode="nearest")
        smooth = functional.pad(smooth, (2, 2, 2, 2), mode="reflect")
        kernel = torch.ones(1, 1, 5, 5) / 25
        return functional.conv2d(smooth, kernel), score * weight, places


class Gaussians(nn.Module):
    """PaDiM: Mahalanobis distances, one covariance for each place."""

    def __init__(self):
        super().__init__()
        self.stem = Stem()
        self.register_buffer("mean", torch.randn(10, 64))
        self.register_buffer("inverse", torch.randn(64, 10, 10))
        self.register_buffer("chosen", torch.randperm(16)[:10])

    def forward(self, image):
        map_ = torch.index_select(self.stem(image), 1, self.chosen)
        batch, width, high, wide = map_.shape
        delta = (map_.reshape(batch, width, -1) - self.mean).permute(2, 0, 1)
        distances = (torch.matmul(delta, self.inverse @ self.inverse.transpose(1, 2)) * delta).sum(2).permute(1, 0)
        distances = distances.reshape(batch, 1, high, wide).clamp(0).sqrt()
        map_ = resized(distances, image.shape[2:])
        return map_, map_.reshape(batch, -1).max(1).values, torch.einsum("nbc,ncd,nbd->bn", delta, self.inverse, delta)


class Students(nn.Module):
    """STFPM and EfficientAD: a teacher's maps and a student's, unit vectors, quantiles of the map."""

    def __init__(self):
        super().__init__()
        self.teacher, self.student = Stem(), Stem()
        self.auto = nn.Sequential(unit(16, 8, 3, 2), nn.Conv2d(8, 4, 4), nn.ReLU())
        self.back = nn.Conv2d(4, 16, 3, padding=1)
        self.register_buffer("mean", torch.randn(1, 16, 1, 1))
        self.register_buffer("spread", torch.rand(1, 16, 1, 1) + 0.5)

    def forward(self, image):
        teacher, student = (self.teacher(image) - self.mean) / self.spread, self.student(image)
        apart = 0.5 * torch.pow(torch.norm(functional.normalize(teacher) - functional.normalize(student), p=2, dim=1, keepdim=True), 2)
        again = self.back(functional.interpolate(self.auto(teacher), size=teacher.shape[2:], mode="bilinear"))
        other_one = torch.mean((again - student) ** 2, dim=1, keepdim=True)
        apart = functional.pad(apart, (4, 4, 4, 4))
        apart = 0.1 * resized(apart, image.shape[2:])
        other_one = resized(other_one, image.shape[2:])
        both = 0.5 * apart + 0.5 * other_one
        return both, torch.amax(both, dim=(-2, -1)), both.flatten(1).min(1, keepdim=True)[0]


FAMILIES = {
    "recurrent_matting": other(Recurrent, more=((8, 8, 8),)),
    "texts": other(lambda: Texts(False)),
    "texts_last": other(lambda: Texts(True)),
    "faces": other(Faces),
    "pixel_shuffles": other(Shuffles),
    "volume": other(Volume),
    "memory_bank": other(Memory),
    "memory_bank_squares": other(lambda: Memory(False)),
    "gaussians": other(Gaussians),
    "students": other(Students),
}
