# SPDX-License-Identifier: Apache-2.0
"""The street model's weights at the size of another Segmenter.

How many tokens merge depends on what a network has learned, and random weights merge little. What a
product costs does not depend on its values: so features, heads and classes are the street model's over
and over, each weight divided by how often its input occurs, and every layer computes the same, wider.
"""

import sys

import torch
from environment import ROOT, STREET_MODEL

sys.path.append(str(ROOT / "models" / "training"))

COPY_SHIFT = -2  # of a class's copies, in deviations of the scores: no two are the first together
BARE_MATRICES = ("decoder.proj_patch", "decoder.proj_classes")  # [in x out]


def places(narrow, wide):
    """Index i of the wide is i % narrow of the narrow."""
    return torch.arange(wide) % narrow


def repeated(tensor, axis, wide):
    return tensor.index_select(axis, places(tensor.shape[axis], wide))


def shared(tensor, axis, wide):
    """Along inputs, whose sum has to stay what it was."""
    narrow = tensor.shape[axis]
    shape = [1] * tensor.dim()
    shape[axis] = narrow
    times = torch.bincount(places(narrow, wide), minlength=narrow)
    return repeated(tensor / times.reshape(shape), axis, wide)


def widened(name, tensor, shape):
    """A parameter of the street model as one of `shape`."""
    if name.startswith("decoder.mask_norm."):
        wide = repeated(tensor, 0, shape[0])
        if name.endswith("bias"):
            wide[tensor.shape[0] :] += COPY_SHIFT
        return wide
    if name in BARE_MATRICES:
        return repeated(shared(tensor, 0, shape[0]), 1, shape[1])
    if ".qkv." in name:  # three matrices above each other
        third = (shape[0] // 3, *shape[1:])
        parts = [spread(part, third) for part in tensor.chunk(3, 0)]
        return torch.cat(parts, 0)
    return spread(tensor, shape)


def spread(tensor, shape):
    """A Linear's matrix [out x in] along both; whatever has no inputs to sum, along each axis."""
    if tensor.dim() == 2:
        tensor = shared(tensor, 1, shape[1])
    for axis, wide in enumerate(shape):
        if tensor.shape[axis] != wide:
            tensor = repeated(tensor, axis, wide)
    return tensor


def weights_for(model):
    """A state dict for a Segmenter as deep as the street model, and with as many positions."""
    import exported

    street = exported.weights_of(STREET_MODEL)
    return {
        name: widened(name, street[name].float(), tuple(parameter.shape))
        for name, parameter in model.state_dict().items()
    }
