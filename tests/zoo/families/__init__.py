# SPDX-License-Identifier: Apache-2.0
"""Families of models as their libraries build them, small and with random weights, by origin."""

from . import convolutional, convolutional_tasks, detectors, files, hand_written, ours, segmentation, timm_hierarchies
from . import timm_others, timm_plain, torchvision_openclip, transformers_detection, transformers_others
from . import transformers_pictures, transformers_plain, transformers_recent, transformers_tasks, transformers_towers, tutorials
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
    transformers_recent,
    torchvision_openclip,
    segmentation,
    ours,
    hand_written,
    tutorials,
    detectors,
    convolutional,
    convolutional_tasks,
    files,
)
FAMILIES: dict[str, Family] = {
    name: family for origin in ORIGINS for name, family in origin.FAMILIES.items()
}
