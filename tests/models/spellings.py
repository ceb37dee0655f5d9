# SPDX-License-Identifier: Apache-2.0
"""One ViT, of which one part at a time is spelled in another way: attention, patches, the class token, norms."""

import functools

import families
import timm.layers
import torch
import torch.nn.functional as F
from fixture import DIM, HEADS, HIDDEN, PATCH, Fixture
from timm.models.vision_transformer import Block, VisionTransformer
from torch import nn
from variants import SHALLOW, vit


class ScaledBoth(timm.layers.Attention):
    """Attention whose scale is shared by q and k."""

    def forward(self, x, attn_mask=None, is_causal=False):
        batch, tokens, _ = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        root = self.head_dim**-0.25
        x = ((q * root) @ (k * root).transpose(-2, -1)).softmax(dim=-1) @ v
        return self.proj(x.transpose(1, 2).reshape(batch, tokens, self.attn_dim))


class Divided(timm.layers.Attention):
    """Attention whose products are divided, from three slices of the packed rows."""

    def forward(self, x, attn_mask=None, is_causal=False):
        batch, tokens, _ = x.shape
        q, k, v = (
            part.reshape(batch, tokens, self.num_heads, self.head_dim).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / self.head_dim**0.5
        x = torch.matmul(torch.softmax(scores, dim=-1), v).permute(0, 2, 1, 3).contiguous()
        return self.proj(x.view(batch, tokens, self.attn_dim))


class Narrow(timm.layers.Attention):
    """Heads of 6 features each: 12 together, where the tokens have 16."""

    def __init__(self, dim, **options):
        super().__init__(dim, attn_head_dim=6, **options)


class HeadByHead(timm.layers.Attention):
    """Each head's attention by itself, from linear layers of its own."""

    def forward(self, x, attn_mask=None, is_causal=False):
        weights = self.qkv.weight.unflatten(0, (3, self.num_heads, self.head_dim))
        biases = self.qkv.bias.unflatten(0, (3, self.num_heads, self.head_dim))
        heads = []
        for head in range(self.num_heads):
            q, k, v = (F.linear(x, weights[i, head], biases[i, head]) for i in range(3))
            heads.append((q @ k.transpose(-2, -1) * self.scale).softmax(dim=-1) @ v)
        return self.proj(torch.cat(heads, dim=-1))


class Sliced(timm.layers.Attention):
    """Each head's attention by itself, from slices of one linear layer's rows, and both halves of those joined first."""

    def forward(self, x, attn_mask=None, is_causal=False):
        (wq, wk, wv), (bq, bk, bv) = self.qkv.weight.chunk(3), self.qkv.bias.chunk(3)
        keys = F.linear(x, torch.cat([wk, wv]), torch.cat([bk, bv]))
        q, k, v = torch.cat([F.linear(x, wq, bq), keys], dim=-1).chunk(3, dim=-1)
        heads = []
        for head in range(self.num_heads):
            at = slice(head * self.head_dim, (head + 1) * self.head_dim)
            scores = q[..., at] @ k[..., at].transpose(-2, -1) * self.scale
            heads.append(scores.softmax(dim=-1) @ v[..., at])
        return self.proj(torch.cat(heads, dim=-1))


class KeysFirst(timm.layers.Attention):
    """Scores with a row for each key, and a softmax over those."""

    def forward(self, x, attn_mask=None, is_causal=False):
        q, k, v = (
            part.unflatten(-1, (self.num_heads, self.head_dim)) for part in self.qkv(x).chunk(3, dim=-1)
        )
        scores = torch.einsum("bkhd,bqhd->bhkq", k, q) * self.scale
        return self.proj(torch.einsum("bhkq,bkhd->bqhd", scores.softmax(dim=2), v).flatten(2))


class Folded(timm.layers.Attention):
    """Heads in front of images, both as one axis."""

    def forward(self, x, attn_mask=None, is_causal=False):
        images, tokens, width = x.shape
        qkv = self.qkv(x).view(images, tokens, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 3, 0, 1, 4).reshape(3, -1, tokens, self.head_dim).unbind(0)
        mixed = torch.bmm((torch.bmm(q, k.transpose(1, 2)) * self.scale).softmax(dim=-1), v)
        mixed = mixed.view(self.num_heads, images, tokens, self.head_dim)
        return self.proj(mixed.permute(1, 2, 0, 3).reshape(images, tokens, width))


class Below(timm.layers.Attention):
    """Heads cut off side by side, and put one below the other."""

    def forward(self, x, attn_mask=None, is_causal=False):
        parts = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (torch.cat(part.split(self.head_dim, dim=2), dim=0) for part in parts)
        mixed = (q @ k.transpose(1, 2) * self.scale).softmax(dim=-1) @ v
        return self.proj(torch.cat(mixed.chunk(self.num_heads, dim=0), dim=2))


def convolved(layer, columns):
    return F.conv1d(columns, layer.weight[..., None], layer.bias)


class Columns(timm.layers.Attention):
    """Projections by convolutions of columns."""

    def forward(self, x, attn_mask=None, is_causal=False):
        qkv = convolved(self.qkv, x.transpose(1, 2))
        q, k, v = qkv.unflatten(1, (3, self.num_heads, self.head_dim)).unbind(1)
        weights = (q.transpose(-2, -1) @ k * self.scale).softmax(dim=-1)
        return convolved(self.proj, (v @ weights.transpose(-2, -1)).flatten(1, 2)).transpose(1, 2)


class ColumnsMlp(timm.layers.Mlp):
    def forward(self, x):
        return convolved(self.fc2, self.act(convolved(self.fc1, x.transpose(1, 2)))).transpose(1, 2)


class Unfolded(timm.layers.PatchEmbed):
    """Patches by unfold, and a linear layer."""

    def forward(self, x):
        rows = F.unfold(x, self.patch_size, stride=self.patch_size).transpose(1, 2)
        return F.linear(rows, self.proj.weight.flatten(1), self.proj.bias)


class Looped(timm.layers.PatchEmbed):
    """Patches one by one, and a linear layer."""

    def forward(self, x):
        high, wide = self.patch_size
        rows = [
            x[:, :, y : y + high, x0 : x0 + wide].flatten(1)
            for y in range(0, x.shape[2], high)
            for x0 in range(0, x.shape[3], wide)
        ]
        return F.linear(torch.stack(rows, dim=1), self.proj.weight.flatten(1), self.proj.bias)


class HeadNumbers(timm.layers.Attention):
    """Gains and biases of q, k and v once they are heads, and a temperature of each head."""

    def __init__(self, dim, **options):
        super().__init__(dim, **options)
        heads, width = self.num_heads, self.head_dim
        self.gamma_1, self.gamma_2 = nn.Parameter(torch.ones(heads, 1, width)), nn.Parameter(torch.ones(width))
        self.q_bias, self.v_bias = nn.Parameter(torch.zeros(heads, 1, width)), nn.Parameter(torch.zeros(heads, 1, 1))
        self.layer_scale1 = nn.Module()
        self.layer_scale1.lambda1 = nn.Parameter(torch.ones(heads, 1, 1))

    def forward(self, x, attn_mask=None, is_causal=False):
        qkv = self.qkv(x).unflatten(-1, (3, self.num_heads, self.head_dim))
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        q, k, v = q * self.gamma_1 + self.q_bias, k * self.gamma_2, v * 0.5 + self.v_bias
        scores = q @ k.transpose(-2, -1) * self.layer_scale1.lambda1
        return self.proj((scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(2))


class Padded(VisionTransformer):
    """A row of zeros in front of the patches, and positions of all rows."""

    def _pos_embed(self, x):
        return F.pad(x, (0, 0, 1, 0)) + self.pos_embed


class Parted(Block):
    """The class token and the patches are two values behind each block."""

    def forward(self, x, attn_mask=None, is_causal=False):
        x = super().forward(x)
        return torch.cat([x[:, :1], x[:, 1:]], dim=1)


class RowGroupNorm(nn.GroupNorm):
    """A norm over groups of which each row has one."""

    def __init__(self, dim, **options):
        super().__init__(1, dim, **options)

    def forward(self, x):
        return super().forward(x.flatten(0, 1)).view_as(x)


class PlaneNorm(nn.Module):
    """A norm of each place of planes."""

    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(DIM, 1, 1)), nn.Parameter(torch.zeros(DIM, 1, 1))

    def forward(self, x):
        centred = x - x.mean(1, keepdim=True)
        return centred / (centred.pow(2).mean(1, keepdim=True) + 1e-6).sqrt() * self.weight + self.bias


class PlaneBlock(nn.Module):
    """A block of planes [B, D, H, W], with convolutions of one place for linear layers."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = PlaneNorm(), PlaneNorm()
        self.qkv, self.proj = nn.Conv2d(DIM, 3 * DIM, 1), nn.Conv2d(DIM, DIM, 1)
        self.mlp = nn.Sequential(nn.Conv2d(DIM, HIDDEN, 1), nn.GELU(), nn.Conv2d(HIDDEN, DIM, 1))

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).flatten(2).unflatten(1, (3, HEADS, DIM // HEADS)).unbind(1)
        weights = (q.transpose(-2, -1) @ k * (DIM // HEADS) ** -0.5).softmax(dim=-1)
        x = x + self.proj((v @ weights.transpose(-2, -1)).reshape(x.shape))
        return x + self.mlp(self.norm2(x))


class Planes(nn.Module):
    """Patches that stay planes throughout."""

    def __init__(self):
        super().__init__()
        self.patches, self.pos_embed = nn.Conv2d(3, DIM, PATCH, PATCH), nn.Parameter(torch.zeros(1, DIM, 6, 8))
        self.blocks = nn.Sequential(*(PlaneBlock() for _ in range(SHALLOW)))

    def forward(self, image):
        return self.blocks(self.patches(image) + self.pos_embed)


def fixtures():
    def make(name, variant, facts=None, **options):
        return Fixture(
            f"hard_{name}",
            "hard",
            variant,
            functools.partial(vit, num_classes=0, **options),
            ("tokens",),
            seed=5,
            wrap=families.Tokens,
            facts={"blocks": SHALLOW, **(facts or {})},
        )

    tanh = functools.partial(nn.GELU, approximate="tanh")
    return [
        make("no_qkv_bias", "qkv without bias", qkv_bias=False),
        make("no_bias", "no bias in qkv, projection and MLP", qkv_bias=False, proj_bias=False),
        make("tanh_gelu", "tanh GELU", {"gelu": "tanh"}, act_layer=tanh),
        make("scaled_both", "scale on q and on k", attn_layer=ScaledBoth),
        make("divided", "products divided, qkv in slices", attn_layer=Divided),
        make("narrow_heads", "heads narrower than the tokens", {"head_dim": 6}, attn_layer=Narrow),
        make("unfused", "attention written out", fused=False),
        # The same weights as these have, in other words.
        make("head_by_head", "heads one by one, each with layers of its own", attn_layer=HeadByHead),
        make("sliced", "heads one by one, from slices of joined layers", attn_layer=Sliced),
        make("keys_first", "keys in front of queries", attn_layer=KeysFirst),
        make("folded", "heads in front of images, as one axis", attn_layer=Folded),
        make("below", "heads one below the other", attn_layer=Below),
        make("columns", "convolutions of columns", attn_layer=Columns, mlp_layer=ColumnsMlp),
        make("unfolded", "patches by unfold", embed_layer=Unfolded),
        make("looped", "patches one by one", embed_layer=Looped),
        make("head_numbers", "gains, biases and temperatures of heads", attn_layer=HeadNumbers),
        make("padded", "a row of zeros for a class token", cls=Padded),
        make("parted", "class token and patches apart between blocks", block_fn=Parted),
        make("grouped_rows", "norms over one group a row", {"norm_eps": 1e-5}, norm_layer=RowGroupNorm),
        Fixture("hard_planes", "hard", "rows as planes", Planes, ("planes",), seed=5, facts={"blocks": SHALLOW, "special": 0}),
    ]
