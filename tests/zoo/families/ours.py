# SPDX-License-Identifier: Apache-2.0
"""What people write themselves: heads on tokens, and encoders that no library has."""

import torch
from timm.models.vision_transformer import Attention, Mlp
from torch import nn

from .family import DEPTH, HEADS, WIDTH, other, plain, varied
from .timm_plain import TINY, Features, vit


class Beside(nn.Module):
    """Two attentions and an MLP of one norm, each added after the other."""

    def __init__(self):
        super().__init__()
        self.vit = vit(TINY, patch_size=8)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(DEPTH))
        self.left = nn.ModuleList(Attention(WIDTH, HEADS, qkv_bias=True) for _ in range(DEPTH))
        self.right = nn.ModuleList(Attention(WIDTH, HEADS) for _ in range(DEPTH))
        self.mlps = nn.ModuleList(Mlp(WIDTH, 2 * WIDTH) for _ in range(DEPTH))

    def forward(self, image):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for norm, left, right, mlp in zip(self.norms, self.left, self.right, self.mlps):
            y = norm(x)
            x = x + left(y) + right(y) + mlp(y)
        return self.vit.forward_head(self.vit.norm(x))


class Head(nn.Module):
    """A backbone's tokens behind one head or another, as people write them."""

    def __init__(self, head):
        super().__init__()
        self.backbone = Features(vit(TINY, patch_size=8))
        self.head = head
        self.linear = nn.Linear(WIDTH, 7)
        self.query = nn.Parameter(torch.randn(1, 5, WIDTH))
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm = nn.LayerNorm(WIDTH)
        if head == "recurrent":
            self.recurrence = nn.GRU(WIDTH, 16, batch_first=True)
        if head == "decoder":
            self.layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, batch_first=True)

    def forward(self, image):
        tokens = self.backbone(image)
        rows = tokens[:, 1:]
        batch = tokens.shape[0]
        planes = rows.transpose(1, 2).reshape(batch, WIDTH, 8, 8)
        return getattr(self, self.head)(tokens, rows, planes)

    def one_token(self, tokens, rows, planes):
        return self.linear(tokens)[:, 5]

    def token_sum(self, tokens, rows, planes):
        return self.linear(tokens).sum(1)

    def gem(self, tokens, rows, planes):
        return self.linear(rows.clamp(min=1e-6).pow(3).mean(1).pow(1 / 3))

    def maximum(self, tokens, rows, planes):
        return self.linear(rows.amax(1))

    def normalised(self, tokens, rows, planes):
        return nn.functional.normalize(rows, dim=-1)

    def queries(self, tokens, rows, planes):
        query = self.query.expand(rows.shape[0], -1, -1)
        return self.attention(query, rows, rows, need_weights=False)[0]

    def einsum(self, tokens, rows, planes):
        query = self.norm(self.query).expand(rows.shape[0], -1, -1)
        return torch.einsum("bqc,bchw->bqhw", query, planes)

    def norm_2d(self, tokens, rows, planes):
        mean = planes.mean(1, keepdim=True)
        variance = (planes - mean).pow(2).mean(1, keepdim=True)
        return (planes - mean) / torch.sqrt(variance + 1e-6)

    def channels_last(self, tokens, rows, planes):
        return self.norm(planes.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    def shuffled(self, tokens, rows, planes):
        return nn.functional.pixel_shuffle(planes, 2)

    def flipped(self, tokens, rows, planes):
        return torch.flip(planes, [3]) + planes

    def resized(self, tokens, rows, planes):
        size = (64, 96)
        return nn.functional.interpolate(planes, size=size, mode="bilinear", align_corners=False)

    def argmax(self, tokens, rows, planes):
        return self.linear(rows).argmax(-1).float()

    def gated(self, tokens, rows, planes):
        return planes * torch.sigmoid(planes.mean((2, 3), keepdim=True))

    def class_and_mean(self, tokens, rows, planes):
        return self.linear(torch.cat([tokens[:, 0], rows.mean(1)], 1)[:, :WIDTH])

    def spread(self, tokens, rows, planes):
        return torch.cat([rows.std(1), rows.var(1, unbiased=False)], 1)

    def attention_pooled(self, tokens, rows, planes):
        weights = self.linear(rows)[..., :1].softmax(1)
        return (weights * rows).sum(1)

    def likeness(self, tokens, rows, planes):
        unit = nn.functional.normalize(rows, dim=-1)
        return unit @ unit.transpose(1, 2)

    def top(self, tokens, rows, planes):
        return self.linear(rows).topk(3, dim=1).values

    def cropped(self, tokens, rows, planes):
        return planes[:, :, 1:-1, 1:-1]

    def padded(self, tokens, rows, planes):
        return nn.functional.pad(planes, (1, 2, 1, 2), mode="reflect")

    def unfolded(self, tokens, rows, planes):
        return nn.functional.unfold(planes, 3, padding=1)

    def turned(self, tokens, rows, planes):
        return torch.rot90(planes, 1, (2, 3))

    def rolled(self, tokens, rows, planes):
        return torch.roll(planes, (1, 2), (2, 3))

    def bicubic(self, tokens, rows, planes):
        return nn.functional.interpolate(planes, size=(20, 28), mode="bicubic", align_corners=False)

    def nearest(self, tokens, rows, planes):
        return nn.functional.interpolate(planes, scale_factor=3, mode="nearest")

    def sampled(self, tokens, rows, planes):
        steps = torch.linspace(-0.9, 0.9, 5)
        grid = torch.stack(torch.meshgrid(steps, steps, indexing="xy"), -1)
        grid = grid.expand(planes.shape[0], -1, -1, -1)
        return nn.functional.grid_sample(planes, grid, align_corners=False)

    def normed_group(self, tokens, rows, planes):
        return nn.functional.group_norm(planes, 4)

    def normed_instance(self, tokens, rows, planes):
        return nn.functional.instance_norm(planes)

    def hard(self, tokens, rows, planes):
        return nn.functional.hardswish(planes) + nn.functional.mish(planes) + nn.functional.elu(planes)

    def log_softmax(self, tokens, rows, planes):
        return self.linear(rows).log_softmax(-1)

    def counted(self, tokens, rows, planes):
        return torch.nn.functional.one_hot(self.linear(rows).argmax(-1), 7).float().mean(1)

    def masked(self, tokens, rows, planes):
        scores = self.linear(rows)
        return torch.where(scores > 0, scores, torch.zeros_like(scores)).amax(-1)

    def recurrent(self, tokens, rows, planes):
        return self.recurrence(rows)[0]

    def decoder(self, tokens, rows, planes):
        return self.layer(self.linear(rows) @ self.linear.weight)


class Post(nn.Module):
    """A norm behind each sum, as the first transformer had it, with PyTorch's own layers."""

    def __init__(self, activation="gelu", norm_first=False):
        super().__init__()
        self.vit = vit(TINY, patch_size=8)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 2 * WIDTH, batch_first=True, activation=activation, norm_first=norm_first
        )
        self.layers = nn.TransformerEncoder(layer, DEPTH, enable_nested_tensor=False)

    def forward(self, image):
        tokens = self.layers(self.vit._pos_embed(self.vit.patch_embed(image)))
        return self.vit.forward_head(self.vit.norm(tokens))


class OpenCoded(nn.Module):
    """A ViT from a tutorial: patches by slices of memory, q, k and v in one product, Einsum."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8 * 8 * 3, WIDTH)
        self.first = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.randn(1, 65, WIDTH))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2 * DEPTH))
        self.qkv = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH, bias=False) for _ in range(DEPTH))
        self.out = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(DEPTH))
        self.mlp = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH)) for _ in range(DEPTH)
        )
        self.head = nn.Linear(WIDTH, 7)

    def forward(self, image):
        batch = image.shape[0]
        patches = image.unfold(2, 8, 8).unfold(3, 8, 8).permute(0, 2, 3, 4, 5, 1).reshape(batch, 64, -1)
        x = torch.cat([self.first.expand(batch, -1, -1), self.embed(patches)], 1) + self.positions
        for index in range(DEPTH):
            y = self.qkv[index](self.norms[2 * index](x)).chunk(3, -1)
            q, k, v = (one.unflatten(-1, (HEADS, -1)) for one in y)
            weights = torch.einsum("bihd,bjhd->bhij", q, k).mul((WIDTH // HEADS) ** -0.5).softmax(-1)
            y = torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2)
            x = x + self.out[index](y)
            x = x + self.mlp[index](self.norms[2 * index + 1](x))
        return self.head(x[:, 0])


class Pair(nn.Module):
    """Two pictures' likeness by one backbone, or features of two backbones joined."""

    def __init__(self, is_shared):
        super().__init__()
        self.left = Features(vit(TINY, patch_size=8))
        self.right = self.left if is_shared else Features(vit("vit_small_patch16_dinov3", patch_size=8))

    def forward(self, image):
        other_one = torch.flip(image, [3])
        return torch.cat([self.left(image)[:, 0], self.right(other_one)[:, 0]], 1)


class Windowed(nn.Module):
    """Plain blocks of which two look at windows of 4 x 4 places alone."""

    def __init__(self):
        super().__init__()
        self.vit = vit(TINY, patch_size=8, class_token=False, global_pool="avg")

    def forward(self, image):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for index, block in enumerate(self.vit.blocks):
            if index in (0, 2):
                windows = x.reshape(-1, 2, 4, 2, 4, WIDTH).transpose(2, 3).reshape(-1, 16, WIDTH)
                x = block(windows).reshape(-1, 2, 2, 4, 4, WIDTH).transpose(2, 3).reshape(-1, 64, WIDTH)
            else:
                x = block(x)
        return self.vit.forward_head(self.vit.norm(x))


class Before(nn.Module):
    """What people put in front of a model: normalisation, channels last, BGR, a resize."""

    def __init__(self, way):
        super().__init__()
        self.model, self.way = vit(TINY, patch_size=8), way
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))

    def forward(self, image):
        if self.way == "normalised":
            image = (image / 255 - self.mean) / self.std
        elif self.way == "swapped":
            image = image[:, [2, 1, 0]]
        elif self.way == "resized":
            image = nn.functional.interpolate(image, size=(64, 64), mode="bilinear", align_corners=False)
        elif self.way == "padded":
            image = nn.functional.pad(image, (0, 4, 0, 8))
        return self.model(image)


class Conditioned(nn.Module):
    """A second input scales, shifts and gates all rows of its picture (DiT)."""

    def __init__(self):
        super().__init__()
        self.vit = vit(TINY, patch_size=8, class_token=False, global_pool="avg")
        self.modulations = nn.ModuleList(nn.Linear(12, 6 * WIDTH) for _ in range(DEPTH))

    def forward(self, image, condition):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for block, modulation in zip(self.vit.blocks, self.modulations):
            shift, scale, gate, shift2, scale2, gate2 = modulation(condition).unsqueeze(1).chunk(6, -1)
            x = x + gate * block.attn(block.norm1(x) * (1 + scale) + shift)
            x = x + gate2 * block.mlp(block.norm2(x) * (1 + scale2) + shift2)
        return self.vit.norm(x)


class Changes(nn.Module):
    """Two pictures of one place, one behind the other in a batch."""

    def __init__(self):
        super().__init__()
        self.backbone, self.linear = Features(vit(TINY, patch_size=8)), nn.Linear(WIDTH, 7)

    def forward(self, before, after):
        old, new = self.backbone(torch.cat([before, after]))[:, 1:].chunk(2)
        return self.linear((old - new).abs()).transpose(1, 2).unflatten(2, (8, 8))


class OneFrame(nn.Module):
    """A picture as a clip of one frame (Prithvi)."""

    def __init__(self):
        super().__init__()
        self.vit, self.clip = vit(TINY, patch_size=8), nn.Conv3d(3, WIDTH, (1, 8, 8), (1, 8, 8))

    def forward(self, image):
        x = self.vit._pos_embed(self.clip(image.unsqueeze(2)).flatten(2).transpose(1, 2))
        return self.vit.forward_head(self.vit.norm(self.vit.blocks(x)))


class Experts(nn.Module):
    """Each block has three MLPs, of which each row chooses its shares."""

    def __init__(self):
        super().__init__()
        self.vit = vit(TINY, patch_size=8)
        self.gates = nn.ModuleList(nn.Linear(WIDTH, 3) for _ in range(DEPTH))
        self.mlps = nn.ModuleList(nn.ModuleList(Mlp(WIDTH, 2 * WIDTH) for _ in range(3)) for _ in range(DEPTH))

    def forward(self, image):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for block, gate, mlps in zip(self.vit.blocks, self.gates, self.mlps):
            x = x + block.attn(block.norm1(x))
            y = block.norm2(x)
            shares = gate(y).softmax(-1)
            x = x + sum(shares[..., i : i + 1] * mlp(y) for i, mlp in enumerate(mlps))
        return self.vit.forward_head(self.vit.norm(x))


class Reduced(nn.Module):
    """Rows are halved midway, as token pooling has it."""

    def __init__(self):
        super().__init__()
        self.vit = vit(TINY, patch_size=8, class_token=False, global_pool="avg")

    def forward(self, image):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for index, block in enumerate(self.vit.blocks):
            x = block(x)
            if index == 1:
                x = nn.functional.avg_pool1d(x.transpose(1, 2), 2).transpose(1, 2)
        return self.vit.forward_head(self.vit.norm(x))


HEADS_OF_OURS = [
    name for name, value in vars(Head).items() if callable(value) and name not in ("__init__", "forward")
]

FAMILIES = {
    **{f"head_{name}": plain(lambda name=name: Head(name)) for name in HEADS_OF_OURS},
    "our_vit": plain(OpenCoded),
    "our_pair": plain(lambda: Pair(True)),
    "our_two_backbones": varied(lambda: Pair(False)),
    "our_torch_layers": plain(lambda: Post(norm_first=True)),
    "our_post_norm": varied(Post),
    "our_post_norm_relu": varied(lambda: Post("relu")),
    "our_attentions_beside": varied(Beside),
    "our_windows": varied(Windowed),
    "our_conditioned": varied(Conditioned, more=((12,),)),
    "our_changes": varied(Changes, more=((3, 64, 64),)),
    "our_one_frame": plain(OneFrame),
    "our_experts": plain(Experts),
    "our_reduced": other(Reduced),
    "our_normalised": plain(lambda: Before("normalised")),
    "our_swapped": plain(lambda: Before("swapped")),
    "our_resized": plain(lambda: Before("resized"), (80, 72)),
    "our_padded": plain(lambda: Before("padded"), (56, 60)),
}
