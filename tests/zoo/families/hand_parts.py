# SPDX-License-Identifier: Apache-2.0
"""Norms, MLPs and patches as people spell them by hand."""

import torch
from einops import rearrange
from torch import nn

from .family import WIDTH

PATCH, SIDE = 8, 8
PIXELS = 3 * PATCH * PATCH


class RowNorm(nn.Module):
    """`spell` of a row, times a scale and perhaps shifted."""

    def __init__(self, spell, shift=True):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH))
        self.shift = nn.Parameter(torch.zeros(WIDTH)) if shift else None
        self.spell = spell

    def forward(self, x):
        x = self.spell(x) * self.scale
        return x if self.shift is None else x + self.shift


def centred(x):
    return x - x.mean(-1, keepdim=True)


def by_variance(x):
    return centred(x) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)


def by_rsqrt(x):
    return centred(x) * torch.rsqrt(centred(x).pow(2).mean(-1, keepdim=True) + 1e-5)


def by_power(x):
    return centred(x) * ((centred(x) ** 2).mean(-1, keepdim=True) + 1e-5) ** -0.5


def by_mean_of_squares(x):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return (x - mean) / (variance + 1e-5).sqrt()


def by_deviation(x):
    """eps beside the deviation, which is that of a sample."""
    return centred(x) / (x.std(-1, keepdim=True) + 1e-6)


def by_deviation_of_all(x):
    return centred(x) / (x.std(-1, keepdim=True, unbiased=False) + 1e-6)


def rms(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def rms_of_length(x):
    return nn.functional.normalize(x, dim=-1) * WIDTH**0.5


def rms_by_norm(x):
    return x / (x.norm(2, dim=-1, keepdim=True) * WIDTH**-0.5 + 1e-8)


class Bent(nn.Module):
    """A tangent in place of a norm."""

    def __init__(self):
        super().__init__()
        self.alpha = nn.Parameter(torch.full((1,), 0.5))
        self.scale, self.shift = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        return torch.tanh(self.alpha * x) * self.scale + self.shift


class OneMore(nn.Module):
    """A scale whose weights are what it has more than 1."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        return rms(x) * (1 + self.weight)


class Columns(nn.Module):
    """A norm of columns: over a batch, or over groups of them."""

    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


NORMS = {
    "variance": lambda: RowNorm(by_variance),
    "rsqrt": lambda: RowNorm(by_rsqrt),
    "power": lambda: RowNorm(by_power),
    "mean_of_squares": lambda: RowNorm(by_mean_of_squares),
    "deviation": lambda: RowNorm(by_deviation),
    "deviation_of_all": lambda: RowNorm(by_deviation_of_all),
    "unscaled": lambda: nn.LayerNorm(WIDTH, elementwise_affine=False),
    "rms": lambda: RowNorm(rms, False),
    "rms_shifted": lambda: RowNorm(rms),
    "rms_length": lambda: RowNorm(rms_of_length, False),
    "rms_norm": lambda: RowNorm(rms_by_norm, False),
    "rms_more": OneMore,
    "rms_torch": lambda: nn.RMSNorm(WIDTH),
    "tangent": Bent,
    "none": nn.Identity,
    "batch": lambda: Columns(nn.BatchNorm1d(WIDTH)),
    "groups": lambda: Columns(nn.GroupNorm(1, WIDTH)),
}


class Mlp(nn.Module):
    """Two linear layers with `between`, which may change the number of features."""

    def __init__(self, between, hidden=2 * WIDTH, kept=2 * WIDTH, bias=True):
        super().__init__()
        self.first, self.last = nn.Linear(WIDTH, hidden, bias=bias), nn.Linear(kept, WIDTH, bias=bias)
        self.between = between

    def forward(self, x):
        return self.last(self.between(self.first(x)))


class Learned(nn.Module):
    """scale relu(x)^2 + shift, both learned numbers."""

    def __init__(self):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.scale * nn.functional.relu(x) ** 2 + self.shift


def gated(activation):
    def between(x):
        gate, value = x.chunk(2, -1)
        return activation(gate) * value

    return between


def convolutions():
    """An MLP of convolutions of size 1."""
    layers = nn.Sequential(nn.Conv1d(WIDTH, 2 * WIDTH, 1), nn.GELU(), nn.Conv1d(2 * WIDTH, WIDTH, 1))
    return Columns(layers)


F = nn.functional
MLPS = {
    "relu": lambda: Mlp(torch.relu),
    "relu_squared": lambda: Mlp(lambda x: torch.relu(x).pow(2)),
    "silu": lambda: Mlp(F.silu, bias=False),
    "swish": lambda: Mlp(lambda x: x * torch.sigmoid(x)),
    "tanh_gelu": lambda: Mlp(lambda x: F.gelu(x, approximate="tanh")),
    "gelu_by_hand": lambda: Mlp(lambda x: 0.5 * x * (1 + torch.erf(x / 2**0.5))),
    "mish": lambda: Mlp(F.mish),
    "leaky": lambda: Mlp(lambda x: F.leaky_relu(x, 0.1)),
    "elu": lambda: Mlp(F.elu),
    "selu": lambda: Mlp(F.selu),
    "celu": lambda: Mlp(F.celu),
    "softplus": lambda: Mlp(F.softplus),
    "softsign": lambda: Mlp(F.softsign),
    "hardswish": lambda: Mlp(F.hardswish),
    "relu6": lambda: Mlp(F.relu6),
    "clamped": lambda: Mlp(lambda x: x.clamp(-1, 2)),
    "prelu": lambda: Mlp(nn.PReLU()),
    "learned": lambda: Mlp(Learned()),
    "sine": lambda: Mlp(torch.sin),
    "swiglu": lambda: Mlp(gated(F.silu), 4 * WIDTH),
    "geglu": lambda: Mlp(gated(F.gelu), 4 * WIDTH),
    "reglu": lambda: Mlp(gated(F.relu), 4 * WIDTH),
    "glu": lambda: Mlp(lambda x: F.glu(x, -1), 4 * WIDTH),
    "normed": lambda: Mlp(nn.Sequential(nn.GELU(), nn.LayerNorm(2 * WIDTH))),
    "three_layers": lambda: Mlp(nn.Sequential(nn.GELU(), nn.Linear(2 * WIDTH, 2 * WIDTH), nn.GELU())),
    "convolutions": convolutions,
    "linear": lambda: Mlp(nn.Identity()),
}


class Projected(nn.Module):
    """`cut` makes rows of pixels of a picture; norms stand around the linear layer."""

    def __init__(self, cut, before=False, behind=False, pixels=PIXELS):
        super().__init__()
        self.before = nn.LayerNorm(pixels) if before else nn.Identity()
        self.linear = nn.Linear(pixels, WIDTH)
        self.behind = nn.LayerNorm(WIDTH) if behind else nn.Identity()
        self.cut = cut

    def forward(self, image):
        return self.behind(self.linear(self.before(self.cut(image))))


def last_channels(image):
    return rearrange(image, "b c (h p) (w q) -> b (h w) (p q c)", p=PATCH, q=PATCH)


def first_channels(image):
    return rearrange(image, "b c (h p) (w q) -> b (h w) (c p q)", p=PATCH, q=PATCH)


def grid_first(image):
    return rearrange(image, "b c (h p) (w q) -> b h w (p q c)", p=PATCH, q=PATCH).flatten(1, 2)


def in_two_steps(image):
    lines = rearrange(image, "b c (h p) w -> b h (c p) w", p=PATCH)
    return rearrange(lines, "b h k (w q) -> b (h w) (k q)", q=PATCH)


def reshaped(image):
    parts = image.reshape(image.shape[0], 3, SIDE, PATCH, SIDE, PATCH)
    return torch.einsum("nchpwq->nhwpqc", parts).reshape(image.shape[0], SIDE * SIDE, PIXELS)


def unfolded(image):
    return nn.functional.unfold(image, PATCH, stride=PATCH).transpose(1, 2)


def sliced(image):
    """By views of a tensor's own unfold."""
    patches = image.unfold(2, PATCH, PATCH).unfold(3, PATCH, PATCH)
    return patches.permute(0, 2, 3, 1, 4, 5).reshape(image.shape[0], SIDE * SIDE, PIXELS)


def looped(image):
    """Patch by patch, as loops cut them."""
    places = [(y * PATCH, x * PATCH) for y in range(SIDE) for x in range(SIDE)]
    return torch.stack([image[:, :, y : y + PATCH, x : x + PATCH].flatten(1) for y, x in places], 1)


def shifted(image):
    """The picture beside itself, moved by half a patch in four directions."""
    moves = ((4, -4, 4, -4), (-4, 4, 4, -4), (4, -4, -4, 4), (-4, 4, -4, 4))
    pictures = [image, *(nn.functional.pad(image, move) for move in moves)]
    return rearrange(torch.cat(pictures, 1), "b c (h p) (w q) -> b (h w) (p q c)", p=PATCH, q=PATCH)


class Stem(nn.Module):
    """Convolutions that halve a picture, one after the other."""

    def __init__(self):
        super().__init__()
        sizes = (3, 16, 32, WIDTH)
        layers = []
        for i in range(3):
            layers += [nn.Conv2d(sizes[i], sizes[i + 1], 3, 2, 1), nn.BatchNorm2d(sizes[i + 1]), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Conv2d(WIDTH, WIDTH, 1))

    def forward(self, image):
        return self.layers(image).flatten(2).transpose(1, 2)


class Plain(nn.Module):
    def __init__(self, norm=None):
        super().__init__()
        self.project = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.norm = norm or nn.Identity()

    def forward(self, image):
        return self.norm(rearrange(self.project(image), "b d h w -> b (h w) d"))


PATCHES = {
    "einops": lambda: Projected(last_channels),
    "einops_norms": lambda: Projected(last_channels, True, True),
    "einops_norm_before": lambda: Projected(last_channels, True),
    "einops_norm_behind": lambda: Projected(last_channels, False, True),
    "channels_first": lambda: Projected(first_channels),
    "channels_first_norms": lambda: Projected(first_channels, True, True),
    "grid": lambda: Projected(grid_first),
    "two_steps": lambda: Projected(in_two_steps),
    "einsum": lambda: Projected(reshaped),
    "unfolded": lambda: Projected(unfolded),
    "sliced": lambda: Projected(sliced),
    "looped": lambda: Projected(looped),
    "shifted": lambda: Projected(shifted, True, pixels=5 * PIXELS),
    "stem": Stem,
    "normed": lambda: Plain(nn.LayerNorm(WIDTH)),
}
