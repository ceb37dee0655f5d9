# SPDX-License-Identifier: Apache-2.0
"""The exporter's Segmenter, made fit for training: initial weights, fast attention, windows."""

import math
import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "export"))
import merging  # noqa: E402
import segmenter_model  # noqa: E402

PATCH, DIM, DEPTH, HEADS, DECODER_DEPTH = 16, 192, 12, 3, 2  # ViT-T/16


class TrainedAttention(segmenter_model.Attention):
    """The same result, by what has the faster backward pass on a device. On a processor those are
    three plain steps, softmax left in bf16: the fused kernel's backward takes twice as long."""

    def forward(self, x):
        batch, tokens, dim = x.shape
        packed = self.qkv(x).reshape(batch, tokens, 3, self.heads, dim // self.heads)
        q, k, v = packed.permute(2, 0, 3, 1, 4).unbind(0)
        if x.device.type == "cpu":
            similarity = (q * self.scale) @ k.transpose(-2, -1)
            with torch.autocast("cpu", enabled=False):  # which would make float32 of it first
                mixed = similarity.softmax(dim=-1) @ v
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v)
        return self.proj(mixed.transpose(1, 2).reshape(batch, tokens, dim))


def sine_positions(side, dim):
    """[1, side * side, dim]: where learning starts from; neighbours are alike from the first step."""
    rates = torch.exp(torch.arange(dim // 4) * (-math.log(100.0) / (dim // 4)))
    angles = torch.arange(side)[:, None] * rates
    line = torch.cat([angles.sin(), angles.cos()], dim=1)
    rows = line[:, None].expand(side, side, -1)
    columns = line[None].expand(side, side, -1)
    return 0.3 * torch.cat([rows, columns], dim=-1).reshape(1, side * side, dim)


def initialise(model):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.trunc_normal_(module.weight, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Conv2d):
            nn.init.xavier_uniform_(module.weight.flatten(1))
            nn.init.zeros_(module.bias)
    nn.init.trunc_normal_(model.encoder.cls_token, std=0.02)
    nn.init.trunc_normal_(model.decoder.cls_emb, std=0.02)
    with torch.no_grad():
        side = model.grid[0]
        model.encoder.pos_embed[:, 1:] = sine_positions(side, DIM)
    for blocks in (model.encoder.blocks, model.decoder.blocks):
        for block in blocks:  # the deeper, the smaller what a block adds at first
            nn.init.trunc_normal_(block.attn.proj.weight, std=0.02 / math.sqrt(2 * len(blocks)))
            nn.init.trunc_normal_(block.mlp.fc2.weight, std=0.02 / math.sqrt(2 * len(blocks)))


def build(size, classes):
    model = segmenter_model.build(
        (size, size),
        patch=PATCH,
        dim=DIM,
        depth=DEPTH,
        heads=HEADS,
        classes=classes,
        decoder_depth=DECODER_DEPTH,
    )
    initialise(model)
    for module in model.modules():
        if type(module) is segmenter_model.Attention:
            module.__class__ = TrainedAttention
    return model


def window_positions(model, first, side):
    """Positions [B, 1 + side*side, D] of windows whose first patches are `first` [B, 2]."""
    positions = model.encoder.pos_embed
    if side == model.grid[0]:
        return positions
    inside = torch.arange(side)
    rows = (first[:, 0, None] + inside)[:, :, None]
    columns = (first[:, 1, None] + inside)[:, None, :]
    places = 1 + rows * model.grid[1] + columns
    special = positions[:, :1].expand(first.shape[0], -1, -1)
    return torch.cat([special, positions[0, places.flatten(1)]], dim=1)


def patches(proj, image):
    """What the convolution `proj` makes of [B, 3, w, w], [B, side * side, D], as one product of
    matrices: the convolution in bf16 takes a fifth of a step."""
    side = image.shape[-1] // PATCH
    cut = image.reshape(-1, 3, side, PATCH, side, PATCH).permute(0, 2, 4, 1, 3, 5)
    return functional.linear(cut.reshape(-1, side * side, 3 * PATCH**2), proj.weight.flatten(1), proj.bias)


def merging_blocks(blocks, x, merge_before):
    """What the blocks make of one frame's rows x [1, 1 + N, D] with merges before some of them, every
    position restored."""
    map_of = torch.arange(x.shape[1] - 1, device=x.device)[None]
    for index, block in enumerate(blocks):
        if index in merge_before:
            with torch.autocast(x.device.type, enabled=False):  # bf16 would make ties
                rows = torch.tensor([x.shape[1] - 1], device=x.device)
                merged, _, step = merging.merge(x[:, 1:].float(), rows)
            map_of = step.gather(1, map_of)
            x = torch.cat([x[:, :1], merged], dim=1)
        x = block(x)
    return torch.cat([x[:, :1], merging.restore(x[:, 1:], map_of)], dim=1)


def patch_scores(model, image, first, merge_before=(), inputs_of=None):
    """Scores [B, K, w/16, w/16] of the patches of windows [B, 3, w, w] of frames. `inputs_of` has
    blocks before the first merge as keys, and gets the rows [B, 1 + N, D] that they were given."""
    side = image.shape[-1] // PATCH
    encoder = model.encoder
    x = patches(encoder.patch_embed.proj, image)
    x = torch.cat([encoder.cls_token.expand(x.shape[0], -1, -1), x], dim=1)
    x = x + window_positions(model, first.to(x.device), side)
    whole = min(merge_before, default=len(encoder.blocks))
    for index, block in enumerate(encoder.blocks[:whole]):
        if inputs_of and index in inputs_of:
            inputs_of[index] = x
        x = block(x)
    if merge_before:  # frame by frame, since each keeps another number of rows
        before = [index - whole for index in merge_before]
        rest = encoder.blocks[whole:]
        x = torch.cat([merging_blocks(rest, one, before) for one in x.split(1)])
    grid = model.decoder(encoder.norm(x)[:, 1:]).transpose(1, 2)
    return grid.reshape(x.shape[0], -1, side, side).float()


def scores(model, image, first, merge_before=()):
    """Scores [B, K, w, w] of windows [B, 3, w, w] of frames."""
    grid = patch_scores(model, image, first, merge_before)
    return functional.interpolate(grid, size=image.shape[-2:], mode="bilinear")


def bilinear_weights(side, first, every):
    """[n, side]: of `side` patches for the pixels first, first + every, ..., as interpolate has."""
    pixels = torch.arange(first, side * PATCH, every)
    places = ((pixels + 0.5) / PATCH - 0.5).clamp(0, side - 1)
    return (1 - (places[:, None] - torch.arange(side)).abs()).clamp(min=0)


def some_pixels(grid, first, every):
    """Of `scores`, the pixels in rows and columns first, first + every, ...: the loss of a fourth
    of them says as much, since neighbours are alike, and takes a fourth of the time."""
    down, across = (bilinear_weights(grid.shape[-1], at, every).to(grid.device) for at in first)
    return down @ grid @ across.T


def variant(size, classes):
    """What variant.yml holds, for models/export/segmenter.py."""
    return {
        "net_kwargs": {
            "backbone": f"vit_tiny_patch{PATCH}_{size}",
            "d_model": DIM,
            "n_layers": DEPTH,
            "n_heads": HEADS,
            "patch_size": PATCH,
            "image_size": [size, size],
            "distilled": False,
            "normalization": "vit",
            "n_cls": classes,
            "decoder": {"name": "mask_transformer", "n_layers": DECODER_DEPTH},
        }
    }
