# SPDX-License-Identifier: Apache-2.0
"""Averages over windows of uneven sizes, which PyTorch's TorchScript exporter does not write.

UPerNet pools a grid of 40 x 40 to 3 x 3: windows of 14 rows and columns that overlap by one. Of a picture of one
size that is a product with a constant matrix from each side.
"""

import contextlib

import torch
from torch import nn


def averages(size, count):
    """[count, size]: what makes of `size` values those of `count` windows, as adaptive_avg_pool lays them out."""
    matrix = torch.zeros(count, size)
    for window in range(count):
        begin, end = window * size // count, -(-(window + 1) * size // count)
        matrix[window, begin:end] = 1 / (end - begin)
    return matrix


class Products(nn.Module):
    def __init__(self, height, width, rows, columns):
        super().__init__()
        self.register_buffer("rows", averages(height, rows).T.contiguous())
        self.register_buffer("columns", averages(width, columns).T.contiguous())

    def forward(self, x):
        across = torch.matmul(x, self.columns).transpose(-1, -2)
        return torch.matmul(across, self.rows).transpose(-1, -2)


def find(model, image):
    """The uneven pools by name, each with its two sizes: what a forward of the image meets."""
    found, hooks = {}, []

    def note(name):
        def hook(module, inputs, output):
            given, made = inputs[0].shape[-2:], output.shape[-2:]
            if any(size % count for size, count in zip(given, made)):
                found[name] = (*given, *made)

        return hook

    for name, module in model.named_modules():
        if isinstance(module, nn.AdaptiveAvgPool2d):
            hooks.append(module.register_forward_hook(note(name)))
    try:
        if hooks:
            with torch.no_grad():
                model(image)
    finally:
        for hook in hooks:
            hook.remove()
    return found


@contextlib.contextmanager
def as_products(model, image):
    """For as long as this lasts the model's uneven pools are products."""
    kept = {}
    try:
        for name, sizes in find(model, image).items():
            parent, _, own = name.rpartition(".")
            module = model.get_submodule(parent)
            kept[name] = module, own, getattr(module, own)
            setattr(module, own, Products(*sizes))
        yield
    finally:
        for module, own, pool in kept.values():
            setattr(module, own, pool)
