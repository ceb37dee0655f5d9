# SPDX-License-Identifier: Apache-2.0
"""Families of models as their libraries build them, small and with random weights, by origin."""

from . import convolutional, convolutional_tasks, detectors, ours, segmentation, timm_hierarchies, timm_others
from . import timm_plain, torchvision_openclip, transformers_detection, transformers_others, transformers_pictures
from . import transformers_plain, transformers_tasks, transformers_towers
from .family import Family

ORIGINS = (
    timm_plain,
    timm_others,
    timm_hierarchies,
    transformers_plain,
    transformers_others,
    transformers_tasks,
    transformers_detection,
    transformers_towers,
    transformers_pictures,
    torchvision_openclip,
    segmentation,
    ours,
    detectors,
    convolutional,
    convolutional_tasks,
)
FAMILIES: dict[str, Family] = {
    name: family for origin in ORIGINS for name, family in origin.FAMILIES.items()
}
