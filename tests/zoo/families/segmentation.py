# SPDX-License-Identifier: Apache-2.0
"""Heads of segmentation as their papers and libraries have them, on backbones of timm."""

import segmentation_models_pytorch as smp
import torch
from torch import nn

from .family import HEADS, WIDTH, other, plain, varied
from .timm_plain import TINY, Taps, vit

CLASSES = 5


def smp_dpt():
    return smp.DPT("tu-" + TINY, encoder_weights=None, classes=CLASSES, dynamic_img_size=True)


def smp_on(kind, encoder, **options):
    return lambda: getattr(smp, kind)(encoder, encoder_weights=None, classes=CLASSES, **options)


class Maps(nn.Module):
    """Taps of a backbone in front of a head."""

    def __init__(self, head, indices, name=TINY, **options):
        super().__init__()
        self.taps = Taps(vit(name, patch_size=8, **options), indices=indices)
        self.head = head

    def forward(self, image):
        return self.head(self.taps(image), image.shape[-2:])


def scaled(value, size):
    return nn.functional.interpolate(value, size=size, mode="bilinear", align_corners=False)


class Progressive(nn.Module):
    """SETR's PUP: convolutions and doublings in turn."""

    def __init__(self):
        super().__init__()
        rows = [WIDTH, 32, 32, 16]
        self.steps = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU()) for a, b in zip(rows, rows[1:])
        )
        self.last = nn.Conv2d(16, CLASSES, 1)

    def forward(self, maps, size):
        value = maps[-1]
        for step in self.steps:
            value = nn.functional.interpolate(step(value), scale_factor=2, mode="bilinear", align_corners=False)
        return self.last(value)


class MultiLevel(nn.Module):
    """SETR's MLA: maps of several blocks, each reduced, added up from the last, joined."""

    def __init__(self):
        super().__init__()
        self.reduce = nn.ModuleList(nn.Conv2d(WIDTH, 16, 1) for _ in range(3))
        self.smooth = nn.ModuleList(nn.Conv2d(16, 16, 3, padding=1) for _ in range(3))
        self.last = nn.Conv2d(48, CLASSES, 1)

    def forward(self, maps, size):
        value, found = 0, []
        for map_, reduce, smooth in zip(reversed(maps), self.reduce, self.smooth):
            value = value + reduce(map_)
            found.append(scaled(smooth(value), size))
        return self.last(torch.cat(found, 1))


class Pyramid(nn.Module):
    """ViT's map at four sizes as BEiT and UPerNet have it: transposed convolutions, pooling, a norm."""

    def __init__(self):
        super().__init__()
        self.up4 = nn.Sequential(
            nn.ConvTranspose2d(WIDTH, 32, 2, 2), nn.BatchNorm2d(32), nn.GELU(), nn.ConvTranspose2d(32, 16, 2, 2)
        )
        self.up2 = nn.ConvTranspose2d(WIDTH, 16, 2, 2)
        self.same = nn.Conv2d(WIDTH, 16, 1)
        self.down = nn.Sequential(nn.MaxPool2d(2, 2), nn.Conv2d(WIDTH, 16, 1))
        self.norm = nn.GroupNorm(4, 64)
        self.last = nn.Conv2d(64, CLASSES, 3, padding=1)

    def forward(self, maps, size):
        sizes = [self.up4(maps[0]), self.up2(maps[1]), self.same(maps[2]), self.down(maps[3])]
        whole = sizes[0].shape[-2:]
        return self.last(self.norm(torch.cat([scaled(one, whole) for one in sizes], 1)))


class MaskQueries(nn.Module):
    """As Mask2Former: learned queries look at the tokens, then masks are products with a map."""

    def __init__(self):
        super().__init__()
        self.queries = nn.Embedding(6, WIDTH)
        self.positions = nn.Parameter(torch.randn(1, 64, WIDTH))
        layer = nn.TransformerDecoderLayer(WIDTH, HEADS, 2 * WIDTH, batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2, nn.LayerNorm(WIDTH))
        self.classes = nn.Linear(WIDTH, CLASSES + 1)
        self.pixels = nn.Sequential(nn.ConvTranspose2d(WIDTH, WIDTH, 2, 2), nn.GroupNorm(4, WIDTH), nn.ReLU())

    def forward(self, maps, size):
        tokens = maps[-1].flatten(2).transpose(1, 2) + self.positions
        queries = self.queries.weight.unsqueeze(0).expand(tokens.shape[0], -1, -1)
        found = self.decoder(queries, tokens)
        masks = torch.einsum("bqc,bchw->bqhw", found, self.pixels(maps[-1]))
        return self.classes(found), scaled(masks, size)


class Pooling(nn.Module):
    """PSPNet's pooling and FCN's dropout behind a ViT, argmax at the end as deployments have it."""

    def __init__(self):
        super().__init__()
        self.sizes = (1, 2, 4)
        self.reduce = nn.ModuleList(nn.Conv2d(WIDTH, 16, 1) for _ in self.sizes)
        self.last = nn.Sequential(nn.Dropout2d(), nn.Conv2d(WIDTH + 48, CLASSES, 1))

    def forward(self, maps, size):
        value = maps[-1]
        parts = [value]
        for count, reduce in zip(self.sizes, self.reduce):
            pooled = nn.functional.adaptive_avg_pool2d(value, count)
            parts.append(scaled(reduce(pooled), value.shape[-2:]))
        return scaled(self.last(torch.cat(parts, 1)), size).argmax(1)


class ContextGuided(nn.Module):
    """SegViT: the class rows' attention over the tokens is the mask."""

    def __init__(self):
        super().__init__()
        self.classes = nn.Parameter(torch.randn(1, CLASSES, WIDTH))
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, maps, size):
        rows = maps[-1].flatten(2).transpose(1, 2)
        likeness = self.query(self.classes) @ self.key(rows).transpose(1, 2) / WIDTH**0.5
        return scaled(likeness.sigmoid().unflatten(2, maps[-1].shape[-2:]), size)


ALL = [0, 1, 2, 3]

FAMILIES = {
    "smp_dpt": plain(smp_dpt),
    "smp_segformer": other(smp_on("Segformer", "mit_b0")),
    "smp_unet_mit": other(smp_on("Unet", "mit_b0")),
    "setr_pup": plain(lambda: Maps(Progressive(), [3])),
    "setr_mla": plain(lambda: Maps(MultiLevel(), [1, 2, 3])),
    "vit_pyramid": plain(lambda: Maps(Pyramid(), ALL)),
    "vit_pyramid_registers": plain(lambda: Maps(Pyramid(), ALL, reg_tokens=4, no_embed_class=True)),
    "vit_mask_queries": plain(lambda: Maps(MaskQueries(), ALL)),
    "vit_pooling": plain(lambda: Maps(Pooling(), [3])),
    "vit_class_attention": plain(lambda: Maps(ContextGuided(), [3])),
    "beit_pyramid": varied(lambda: Maps(Pyramid(), ALL, "beit_base_patch16_224")),
    "dinov3_mask_queries": varied(lambda: Maps(MaskQueries(), ALL, "vit_small_patch16_dinov3")),
}
