# SPDX-License-Identifier: Apache-2.0
"""Detectors as people write them for a camera: convolutions, anchors as constants, results that are decoded in the graph."""

import torch
import torchvision
from torch import nn

from .family import other

CLASSES, BINS = 4, 8


class Unit(nn.Sequential):
    """A convolution, its norm and SiLU."""

    def __init__(self, a, b, kernel=1, stride=1, groups=1, activation=nn.SiLU):
        padding = kernel // 2
        convolution = nn.Conv2d(a, b, kernel, stride, padding, groups=groups, bias=False)
        super().__init__(convolution, nn.BatchNorm2d(b, eps=1e-3), activation())


class Bottleneck(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = Unit(width, width, 3), Unit(width, width, 3)

    def forward(self, x):
        return x + self.second(self.first(x))


class Split(nn.Module):
    """Half of the channels go through bottlenecks, and each step is kept."""

    def __init__(self, a, b, count=2):
        super().__init__()
        self.first, self.last = Unit(a, b), Unit(b // 2 * (2 + count), b)
        self.steps = nn.ModuleList(Bottleneck(b // 2) for _ in range(count))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for step in self.steps:
            parts.append(step(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Pools(nn.Module):
    """The same pool three times, one behind the other."""

    def __init__(self, width):
        super().__init__()
        self.first, self.last = Unit(width, width // 2), Unit(width * 2, width)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Slices(nn.Module):
    """Four pictures of every other pixel in place of one."""

    def forward(self, x):
        corners = [x[..., i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return torch.cat(corners, 1)


class Areas(nn.Module):
    """Attention within bands of the picture, with a convolution for positions."""

    def __init__(self, width, heads=2, areas=4):
        super().__init__()
        self.heads, self.areas = heads, areas
        self.qkv = nn.Conv2d(width, 3 * width, 1, bias=False)
        self.place = nn.Conv2d(width, width, 5, padding=2, groups=width)
        self.out = nn.Conv2d(width, width, 1)

    def forward(self, x):
        batch, width, height, length = x.shape
        count = height * length
        rows = self.qkv(x).flatten(2).transpose(1, 2)
        rows = rows.reshape(batch * self.areas, count // self.areas, 3 * width)
        rows = rows.view(batch * self.areas, count // self.areas, self.heads, -1).permute(0, 2, 3, 1)
        q, k, v = rows.split([width // self.heads] * 3, 2)
        weights = ((q.transpose(-2, -1) @ k) * (width // self.heads) ** -0.5).softmax(-1)
        y = (v @ weights.transpose(-2, -1)).permute(0, 3, 1, 2).reshape(batch, count, width)
        values = v.permute(0, 3, 1, 2).reshape(batch, count, width)
        y = y.reshape(batch, height, length, width).permute(0, 3, 1, 2)
        values = values.reshape(batch, height, length, width).permute(0, 3, 1, 2)
        return self.out(y + self.place(values))


class Backbone(nn.Module):
    """Maps of an eighth and a sixteenth of the picture, joined from the coarse to the fine and back."""

    def __init__(self, with_slices=False, with_areas=False):
        super().__init__()
        stem = [Slices(), Unit(12, 8, 3)] if with_slices else [Unit(3, 8, 3, 2)]
        self.stem = nn.Sequential(*stem, Unit(8, 16, 3, 2), Split(16, 16))
        self.fine = nn.Sequential(Unit(16, 32, 3, 2), Split(32, 32))
        self.coarse = nn.Sequential(Unit(32, 32, 3, 2), Split(32, 32), Areas(32) if with_areas else Pools(32))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.joined, self.down, self.last = Split(64, 32), Unit(32, 32, 3, 2), Split(64, 32)

    def forward(self, image):
        fine = self.fine(self.stem(image))
        coarse = self.coarse(fine)
        fine = self.joined(torch.cat([self.up(coarse), fine], 1))
        return fine, self.last(torch.cat([self.down(fine), coarse], 1))


def anchors(sizes, strides):
    places, steps = [], []
    for (height, width), stride in zip(sizes, strides):
        y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
        places.append(torch.stack([x, y], -1).view(-1, 2))
        steps.append(torch.full((height * width, 1), float(stride)))
    return torch.cat(places).transpose(0, 1), torch.cat(steps).transpose(0, 1)


class Distances(nn.Module):
    """A distribution over how far each side is becomes its mean: softmax, then a convolution with 0, 1, 2, ..."""

    def __init__(self):
        super().__init__()
        self.sum = nn.Conv2d(BINS, 1, 1, bias=False)
        self.sum.weight.data = torch.arange(BINS).float().view(1, BINS, 1, 1)

    def forward(self, x):
        batch, _, count = x.shape
        return self.sum(x.view(batch, 4, BINS, count).transpose(2, 1).softmax(1)).view(batch, 4, count)


class Detector(nn.Module):
    """Boxes [B, 4 + classes, places], as centres and sizes."""

    def __init__(self, extra=0, **options):
        super().__init__()
        self.backbone, self.distances = Backbone(**options), Distances()
        self.boxes = nn.ModuleList(nn.Sequential(Unit(32, 16, 3), nn.Conv2d(16, 4 * BINS, 1)) for _ in range(2))
        self.scores = nn.ModuleList(nn.Sequential(Unit(32, 16, 3), nn.Conv2d(16, CLASSES, 1)) for _ in range(2))
        self.more = nn.ModuleList(nn.Conv2d(32, extra, 1) for _ in range(2)) if extra else None

    def decode(self, maps):
        places, steps = anchors([map_.shape[2:] for map_ in maps], (8, 16))
        batch = maps[0].shape[0]
        joined = [torch.cat([box(map_), score(map_)], 1) for map_, box, score in zip(maps, self.boxes, self.scores)]
        joined = torch.cat([one.view(batch, 4 * BINS + CLASSES, -1) for one in joined], 2)
        box, score = joined.split((4 * BINS, CLASSES), 1)
        low, high = self.distances(box).chunk(2, 1)
        first, second = places.unsqueeze(0) - low, places.unsqueeze(0) + high
        box = torch.cat([(first + second) / 2, second - first], 1) * steps
        return torch.cat([box, score.sigmoid()], 1)

    def extras(self, maps):
        batch = maps[0].shape[0]
        return torch.cat([one(map_).view(batch, one.out_channels, -1) for map_, one in zip(maps, self.more)], 2)

    def forward(self, image):
        return self.decode(self.backbone(image))


class EndToEnd(Detector):
    """No suppression: the best places, and of these the best classes."""

    def forward(self, image):
        found = super().forward(image).permute(0, 2, 1)
        boxes, scores = found.split([4, CLASSES], -1)
        batch, best = boxes.shape[0], 6
        index = scores.amax(-1).topk(best)[1].unsqueeze(-1)
        boxes = boxes.gather(1, index.repeat(1, 1, 4))
        scores = scores.gather(1, index.repeat(1, 1, CLASSES))
        scores, index = scores.flatten(1).topk(best)
        first = torch.arange(batch)[..., None]
        return torch.cat([boxes[first, index // CLASSES], scores[..., None], (index % CLASSES)[..., None].float()], -1)


class Masks(Detector):
    """Coefficients of prototypes, as two outputs."""

    def __init__(self):
        super().__init__(extra=6)
        self.prototypes = nn.Sequential(
            Unit(32, 16, 3), nn.ConvTranspose2d(16, 16, 2, 2, 0, bias=True), Unit(16, 16, 3), Unit(16, 6)
        )

    def forward(self, image):
        maps = self.backbone(image)
        return torch.cat([self.decode(maps), self.extras(maps)], 1), self.prototypes(maps[0])


class CroppedMasks(Masks):
    """The masks of the best boxes, cut off at the boxes, as large as the picture."""

    def forward(self, image):
        found, prototypes = super().forward(image)
        boxes, scores, factors = found.transpose(1, 2).split([4, CLASSES, 6], -1)
        best = scores.amax(-1).topk(3)[1].unsqueeze(-1)
        boxes, factors = boxes.gather(1, best.expand(-1, -1, 4)), factors.gather(1, best.expand(-1, -1, 6))
        batch, _, height, width = prototypes.shape
        masks = (factors @ prototypes.flatten(2)).sigmoid().view(batch, -1, height, width)
        x0, y0, x1, y1 = ((boxes[..., :2] - boxes[..., 2:] / 2).unbind(-1) + (boxes[..., :2] + boxes[..., 2:] / 2).unbind(-1))
        xs = torch.arange(width).view(1, 1, 1, -1) * 4
        ys = torch.arange(height).view(1, 1, -1, 1) * 4
        inside = (xs >= x0[..., None, None]) * (xs < x1[..., None, None])
        inside = inside * (ys >= y0[..., None, None]) * (ys < y1[..., None, None])
        masks = nn.functional.interpolate(masks * inside, size=image.shape[2:], mode="bilinear", align_corners=False)
        return masks.gt(0.5)


class Pose(Detector):
    """Points of a body: places and whether they are seen."""

    def __init__(self):
        super().__init__(extra=9)

    def forward(self, image):
        maps = self.backbone(image)
        places, steps = anchors([map_.shape[2:] for map_ in maps], (8, 16))
        batch = image.shape[0]
        points = self.extras(maps).view(batch, 3, 3, -1)
        xy = (points[:, :, :2] * 2.0 + (places - 0.5)) * steps
        points = torch.cat([xy, points[:, :, 2:3].sigmoid()], 2).view(batch, 9, -1)
        return torch.cat([self.decode(maps), points], 1)


class Anchored(nn.Module):
    """Three anchors a place and sigmoids, five axes in between."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone(with_slices=True)
        self.heads = nn.ModuleList(nn.Conv2d(32, 3 * (5 + CLASSES), 1) for _ in range(2))

    def forward(self, image):
        found = []
        for map_, head, stride in zip(self.backbone(image), self.heads, (8, 16)):
            batch, _, height, width = map_.shape
            y = head(map_).view(batch, 3, 5 + CLASSES, height, width).permute(0, 1, 3, 4, 2).contiguous()
            xy, wh, rest = y.sigmoid().split((2, 2, CLASSES + 1), 4)
            grid = torch.stack(torch.meshgrid(torch.arange(width), torch.arange(height), indexing="xy"), 2) - 0.5
            sizes = torch.tensor([[10.0, 13], [16, 30], [33, 23]]).view(1, 3, 1, 1, 2)
            y = torch.cat([(xy * 2 + grid) * stride, (wh * 2) ** 2 * sizes, rest], 4)
            found.append(y.view(batch, 3 * height * width, 5 + CLASSES))
        return torch.cat(found, 1)


class Centres(nn.Module):
    """Heat maps of centres: what is no maximum of its neighbours goes, the best are gathered."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.heat, self.size = nn.Conv2d(32, CLASSES, 1), nn.Conv2d(32, 2, 1)

    def forward(self, image):
        map_ = self.backbone(image)[0]
        heat = self.heat(map_).sigmoid()
        heat = heat * (nn.functional.max_pool2d(heat, 3, 1, 1) == heat).float()
        batch, classes, height, width = heat.shape
        scores, index = heat.view(batch, -1).topk(5)
        kind, place = index // (height * width), index % (height * width)
        size = self.size(map_).permute(0, 2, 3, 1).reshape(batch, -1, 2).gather(1, place.unsqueeze(-1).expand(-1, -1, 2))
        y, x = (place // width).float(), (place % width).float()
        return torch.stack([x, y], -1), size, scores, kind


class Suppressed(nn.Module):
    """NonMaxSuppression in the graph, as torchvision's exporter writes it."""

    def __init__(self):
        super().__init__()
        self.detector = Detector()

    def forward(self, image):
        found = self.detector(image)[0].transpose(0, 1)
        scores, kinds = found[:, 4:].max(1)
        boxes = torch.cat([found[:, :2] - found[:, 2:4] / 2, found[:, :2] + found[:, 2:4] / 2], 1)
        kept = torchvision.ops.nms(boxes, scores, 0.5)
        return boxes[kept], scores[kept], kinds[kept]


class Pooled(nn.Module):
    """Features of two fixed regions, by RoiAlign."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.register_buffer("regions", torch.tensor([[0.0, 4, 4, 40, 30], [0.0, 10, 20, 60, 61]]))
        self.last = nn.Linear(32 * 9, CLASSES)

    def forward(self, image):
        map_ = self.backbone(image)[0]
        cut = torchvision.ops.roi_align(map_, self.regions, 3, 1 / 8, 2, True)
        return self.last(cut.flatten(1)).softmax(-1)


class Queries(nn.Module):
    """As RT-DETR: one block of a transformer on the coarse map, queries chosen by TopK, refined boxes."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.encoder = nn.TransformerEncoderLayer(32, 2, 64, batch_first=True, activation="gelu")
        self.decoder = nn.TransformerDecoderLayer(32, 2, 64, batch_first=True)
        self.scores, self.boxes = nn.Linear(32, CLASSES), nn.Linear(32, 4)
        self.norm = nn.LayerNorm(32)

    def forward(self, image):
        fine, coarse = self.backbone(image)
        rows = self.encoder(coarse.flatten(2).permute(0, 2, 1))
        rows = torch.cat([fine.flatten(2).permute(0, 2, 1), rows], 1)
        rows = self.norm(rows)
        index = self.scores(rows).max(-1).values.topk(5, dim=1).indices
        queries = rows.gather(1, index.unsqueeze(-1).repeat(1, 1, 32))
        reference = self.boxes(queries)
        found = self.decoder(queries, rows)
        unsure = reference.sigmoid().clamp(1e-5, 1 - 1e-5)
        boxes = (self.boxes(found) + torch.log(unsure / (1 - unsure))).sigmoid()
        return self.scores(found).sigmoid(), boxes


FAMILIES = {
    "detector": other(Detector),
    "detector_areas": other(lambda: Detector(with_areas=True)),
    "detector_end_to_end": other(EndToEnd),
    "detector_masks": other(Masks),
    "detector_cropped_masks": other(CroppedMasks),
    "detector_pose": other(Pose),
    "detector_anchored": other(Anchored),
    "detector_centres": other(Centres),
    "detector_suppressed": other(Suppressed),
    "detector_pooled": other(Pooled),
    "detector_queries": other(Queries),
}
