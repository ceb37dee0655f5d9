# SPDX-License-Identifier: Apache-2.0
"""One fixture: what to build, how to export it, and what a reader may expect of it."""

import dataclasses
import typing

import torch
from torch import nn

DIM, HEADS, DEPTH, HIDDEN, PATCH, CLASSES = 16, 2, 3, 32, 8, 5
WIDE, SQUARE = "images_48x64.npy", "images_64x64.npy"


@dataclasses.dataclass
class Fixture:
    name: str
    family: str
    variant: str
    build: typing.Callable[[], nn.Module]
    outputs: typing.Tuple[str, ...]
    seed: int = 1
    wrap: typing.Optional[typing.Callable[[nn.Module], nn.Module]] = None
    input: str = WIDE
    input_name: str = "image"
    exporter: str = "torchscript"  # or dynamo
    opset: int = 17
    # By file: the bytes of the model whose outputs are expected, where they are not the file's own.
    stands_for: typing.Optional[typing.Callable[[typing.Any], bytes]] = None
    dynamic: typing.Tuple[int, ...] = (0,)
    after: typing.Optional[typing.Callable] = None  # changes the written file: path -> None
    tool: str = ""  # what `after` stands for, in words
    mergeable: bool = True
    reason: str = ""  # part of the sentence that refuses it
    also: typing.Tuple[str, ...] = ()  # other reasons that are as true
    tolerance: float = 2e-5  # of ONNX Runtime's and PyTorch's outputs, relative to the largest
    channels_last: bool = False  # the model's input; its images are turned
    listed: bool = True  # False: only for tests that name it, as labels jump where scores are close
    # The images of another size for which the same weights are expected to give outputs as well,
    # and what builds the model for it; without that the model takes any size.
    other_input: str = ""
    build_other: typing.Optional[typing.Callable[[], nn.Module]] = None
    facts: dict = dataclasses.field(default_factory=dict)

    def describe(self):
        """The entry of models.json."""
        grid = (6, 8) if self.input == WIDE else (8, 8)
        facts = {
            "blocks": DEPTH,
            "dim": DIM,
            "heads": HEADS,
            "head_dim": DIM // HEADS,
            "hidden": HIDDEN,
            "special": 1,
            "patch": PATCH,
            "grid": list(grid),
            "gelu": "erf",
            "qkv": "packed",
            "layer_scale": False,
            "norm_eps": 1e-6,
        }
        facts = facts if self.mergeable else {}
        facts.update(self.facts)
        if self.other_input:
            facts["other_input"] = self.other_input
        return {
            "name": self.name,
            "family": self.family,
            "variant": self.variant,
            "exporter": self.exporter,
            "tool": self.tool,
            "opset": self.opset,
            "input": self.input,
            "input_name": self.input_name,
            "outputs": list(self.outputs),
            "batch": "dynamic" if 0 in self.dynamic else 1,
            "mergeable": self.mergeable,
            "reason": self.reason,
            "also": list(self.also),
            **facts,
        }


class Outputs(nn.Module):
    """The named outputs of a transformers model, in this order."""

    def __init__(self, model, names, **arguments):
        super().__init__()
        self.model = model
        self.names = names
        self.arguments = arguments

    def forward(self, pixel_values):
        result = self.model(pixel_values, return_dict=True, **self.arguments)
        return tuple(getattr(result, name) for name in self.names)


class Tokens(nn.Module):
    """forward_features of a timm model."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return self.model.forward_features(image)


class LinearSegmenter(nn.Module):
    """A linear layer on the image tokens of a timm ViT, its scores upsampled by 2."""

    def __init__(self, model, grid, special):
        super().__init__()
        self.model = model
        self.grid = grid
        self.special = special
        self.head = nn.Linear(model.embed_dim, CLASSES)

    def forward(self, image):
        tokens = self.head(self.model.forward_features(image)[:, self.special :])
        scores = tokens.transpose(1, 2).reshape(image.shape[0], CLASSES, *self.grid)
        return torch.nn.functional.interpolate(scores, scale_factor=2, mode="bilinear")
