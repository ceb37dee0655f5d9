# SPDX-License-Identifier: Apache-2.0
"""What a family is, and what several origins need to build one."""

import dataclasses
import typing

import transformers
from torch import nn

SIZE = 64
WIDTH, HEADS, DEPTH = 64, 2, 4


@dataclasses.dataclass(frozen=True)
class Family:
    """`build` gives a torch.nn.Module from an image [B, 3, H, W] of `size` to a tensor or a tuple of
    them, with `more` inputs [B, ...] behind the image. `kind`: `plain`, the encoder's blocks are a ViT's and nothing else; `varied`, a ViT encoder
    all the same, with tokens of one size throughout, that has rotary positions, biases, queries, windows or several towers; `other`, anything
    else. Of plain ones at least nineteen files of twenty have to merge; whatever does not runs, or is refused for a reason that is true."""

    build: typing.Callable[[], nn.Module]
    kind: str = "other"
    size: tuple = (SIZE, SIZE)
    more: tuple = ()
    is_written: bool = False  # `build` gives an onnx.ModelProto


def plain(build, size=(SIZE, SIZE)):
    return Family(build, "plain", size)


def varied(build, size=(SIZE, SIZE), more=()):
    return Family(build, "varied", size, more)


def other(build, size=(SIZE, SIZE), more=()):
    return Family(build, "other", size, more)


def written(build):
    return Family(build, is_written=True)


class Picked(nn.Module):
    """Of a transformers model the named outputs, of those that are lists the last."""

    def __init__(self, model, *names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, image):
        found = self.model(image, return_dict=True)
        outputs = [found[name] for name in self.names]
        return tuple(out[-1] if isinstance(out, (list, tuple)) else out for out in outputs)


def config(cls, **options):
    """Sizes by the names that most models of transformers have for them."""
    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * WIDTH,
        "image_size": SIZE,
        "patch_size": 8,
    }
    return cls(**{**sizes, **options})


def hf(model, config_class, *names, **options):
    def build():
        kind = getattr(transformers, model)
        return Picked(kind(config(getattr(transformers, config_class), **options)), *names)

    return build
