# SPDX-License-Identifier: Apache-2.0
"""Seeded random weights that make every layer matter.

PyTorch's default initialisation makes a ViT whose output hardly depends on its input. With these
weights a wrong scale, order or position shows in the output.
"""

import re

import numpy
import torch

# By the last part of a parameter's name.
POSITIONS = re.compile(r"(pos_embed|positional_embedding|position_embeddings?(\.weight)?)$")
TOKENS = re.compile(
    r"(cls_token|dist_token|distillation_token|reg_token|register_tokens|class_embedding|cls_emb"
    r"|mask_token)$"
)
SCALES = re.compile(r"(ls[12]\.gamma|layer_scale[12]\.lambda1|gamma_[12])$")
BIAS_TABLES = re.compile(r"(relative_position_bias_table|rel_pos_[hw])$")


def randomise(model, seed):
    """Fills every parameter and running statistic of model; the same seed gives the same model."""
    generator = numpy.random.default_rng(seed)
    norms = {name for name, module in model.named_modules() if "Norm" in type(module).__name__}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = draw(name, tuple(parameter.shape), name.rpartition(".")[0] in norms, generator)
            parameter.copy_(torch.from_numpy(values.astype(numpy.float32)))
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.copy_(torch.from_numpy(generator.normal(0, 0.3, buffer.shape)))
            elif name.endswith("running_var"):
                buffer.copy_(torch.from_numpy(generator.uniform(1, 2, buffer.shape)))
    return model.eval()


def draw(name, shape, is_norm, generator):
    normal = generator.normal(size=shape)
    if POSITIONS.search(name) or BIAS_TABLES.search(name):
        return 0.5 * normal
    if TOKENS.search(name):
        return normal
    if SCALES.search(name):
        return generator.uniform(0.3, 1.2, shape)
    if is_norm and name.endswith("weight"):
        return 1 + 0.2 * normal
    if len(shape) == 1:
        return 0.1 * normal
    # nn.Linear and nn.Conv2d keep [out, in, ...], bare matrices [in, out].
    fan_in = numpy.prod(shape[1:]) if name.endswith("weight") else shape[0]
    return 1.5 / numpy.sqrt(fan_in) * normal
