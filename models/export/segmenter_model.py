# SPDX-License-Identifier: Apache-2.0
"""Segmenter (Strudel et al., 2021) in our own words, with the parameter names of its checkpoints.

Written for export: inference only, no dropout, and a size that is fixed when the model is made.
"""

import torch
from torch import nn
from torch.nn import functional

NORM_EPS = 1e-5  # Segmenter's encoder has PyTorch's default, timm's ViTs have 1e-6


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        batch, tokens, dim = x.shape
        packed = self.qkv(x).reshape(batch, tokens, 3, self.heads, dim // self.heads)
        q, k, v = packed.permute(2, 0, 3, 1, 4).unbind(0)
        weights = (q @ k.transpose(-2, -1) * self.scale).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(batch, tokens, dim))


class Mlp(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.fc2(functional.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=NORM_EPS)
        self.attn = Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim, eps=NORM_EPS)
        self.mlp = Mlp(dim, hidden)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchEmbed(nn.Module):
    def __init__(self, dim, patch):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)

    def forward(self, image):
        return self.proj(image).flatten(2).transpose(1, 2)


class Encoder(nn.Module):
    def __init__(self, grid, dim, depth, heads, hidden, patch, distilled):
        super().__init__()
        special = 2 if distilled else 1
        self.patch_embed = PatchEmbed(dim, patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        if distilled:
            self.dist_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, special + grid[0] * grid[1], dim))
        self.blocks = nn.ModuleList([Block(dim, heads, hidden) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim, eps=NORM_EPS)

    def special(self):
        return [self.cls_token] + ([self.dist_token] if hasattr(self, "dist_token") else [])

    def forward(self, image):
        x = self.patch_embed(image)
        special = [token.expand(x.shape[0], -1, -1) for token in self.special()]
        x = torch.cat(special + [x], dim=1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.norm(x)[:, len(special) :]


class LinearDecoder(nn.Module):
    def __init__(self, classes, dim):
        super().__init__()
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(x)


class MaskTransformer(nn.Module):
    def __init__(self, classes, encoder_dim, dim, depth, heads, hidden):
        super().__init__()
        self.classes = classes
        self.proj_dec = nn.Linear(encoder_dim, dim)
        self.cls_emb = nn.Parameter(torch.randn(1, classes, dim))
        self.blocks = nn.ModuleList([Block(dim, heads, hidden) for _ in range(depth)])
        self.decoder_norm = nn.LayerNorm(dim, eps=NORM_EPS)
        # Matrices [in x out], multiplied from the right; not the layout of nn.Linear.
        self.proj_patch = nn.Parameter(dim**-0.5 * torch.randn(dim, dim))
        self.proj_classes = nn.Parameter(dim**-0.5 * torch.randn(dim, dim))
        self.mask_norm = nn.LayerNorm(classes, eps=NORM_EPS)

    def forward(self, x):
        x = self.proj_dec(x)
        x = torch.cat([x, self.cls_emb.expand(x.shape[0], -1, -1)], dim=1)
        for block in self.blocks:
            x = block(x)
        x = self.decoder_norm(x)
        patches = x[:, : -self.classes] @ self.proj_patch
        classes = x[:, -self.classes :] @ self.proj_classes
        patches = patches / patches.norm(dim=-1, keepdim=True)
        classes = classes / classes.norm(dim=-1, keepdim=True)
        return self.mask_norm(patches @ classes.transpose(1, 2))


class Segmenter(nn.Module):
    """image [B, 3, H, W], H and W multiples of the patch, to masks [B, classes, H, W]."""

    def __init__(self, image_size, encoder, decoder, patch, upsample=True):
        super().__init__()
        self.image_size = tuple(image_size)
        self.grid = grid_of(image_size, patch)
        self.upsample = upsample
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, image):
        scores = self.decoder(self.encoder(image))
        scores = scores.transpose(1, 2).reshape(scores.shape[0], -1, *self.grid)
        if not self.upsample:
            return scores
        return functional.interpolate(
            scores, size=self.image_size, mode="bilinear", align_corners=False
        )


def grid_of(image_size, patch):
    return image_size[0] // patch, image_size[1] // patch


def build(
    image_size,
    patch=16,
    dim=192,
    depth=12,
    heads=3,
    mlp_ratio=4,
    distilled=False,
    decoder="mask_transformer",
    classes=150,
    decoder_depth=2,
    decoder_heads=None,
    upsample=True,
):
    """A Segmenter of these sizes; decoder_heads is dim / 64 where it isn't given."""
    grid = grid_of(image_size, patch)
    encoder = Encoder(grid, dim, depth, heads, mlp_ratio * dim, patch, distilled)
    if decoder == "linear":
        head = LinearDecoder(classes, dim)
    else:
        decoder_heads = decoder_heads or max(1, dim // 64)
        head = MaskTransformer(classes, dim, dim, decoder_depth, decoder_heads, mlp_ratio * dim)
    return Segmenter(image_size, encoder, head, patch, upsample)


def resize_positions(positions, special, old_grid, new_grid):
    """pos_embed [1, special + h*w, dim] for another grid; the special rows stay as they are."""
    if tuple(old_grid) == tuple(new_grid):
        return positions
    rows = positions[:, special:].reshape(1, old_grid[0], old_grid[1], -1).permute(0, 3, 1, 2)
    rows = functional.interpolate(rows, size=new_grid, mode="bilinear", align_corners=False)
    rows = rows.permute(0, 2, 3, 1).flatten(1, 2)
    return torch.cat([positions[:, :special], rows], dim=1)
