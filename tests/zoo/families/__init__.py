# SPDX-License-Identifier: Apache-2.0
"""Families of models as their libraries build them, small and with random weights, by origin."""

from . import convolutional, detectors, ours, segmentation, timm_others, timm_plain, torchvision_openclip
from . import transformers_others, transformers_plain, transformers_tasks
from .family import Family

ORIGINS = (
    timm_plain,
    timm_others,
    transformers_plain,
    transformers_others,
    transformers_tasks,
    torchvision_openclip,
    segmentation,
    ours,
    detectors,
    convolutional,
)
FAMILIES: dict[str, Family] = {
    name: family for origin in ORIGINS for name, family in origin.FAMILIES.items()
}
