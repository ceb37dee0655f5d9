# SPDX-License-Identifier: Apache-2.0
"""torchvision's and OpenCLIP's models."""

import open_clip
import torch
import torchvision
from torch import nn

from .family import DEPTH, HEADS, SIZE, WIDTH, other, plain
from .timm_plain import vit


def vision_transformer(**options):
    return torchvision.models.VisionTransformer(
        image_size=SIZE,
        patch_size=8,
        num_layers=DEPTH,
        num_heads=HEADS,
        hidden_dim=WIDTH,
        mlp_dim=2 * WIDTH,
        num_classes=7,
        **options,
    )


class Tokens(nn.Module):
    """All tokens of torchvision's model, as heads of one's own take them."""

    def __init__(self):
        super().__init__()
        self.model = vision_transformer()
        self.head = nn.Linear(WIDTH, 5)

    def forward(self, image):
        tokens = self.model._process_input(image)
        first = self.model.class_token.expand(image.shape[0], -1, -1)
        tokens = self.model.encoder(torch.cat([first, tokens], 1))
        return self.head(tokens[:, 1:]).transpose(1, 2).unflatten(2, (8, 8))


def stem():
    kind = torchvision.models.vision_transformer.ConvStemConfig
    return vision_transformer(conv_stem_configs=[kind(16, 3, 2), kind(32, 3, 2), kind(48, 3, 2)])


def swin(version):
    block = getattr(torchvision.models.swin_transformer, f"SwinTransformerBlock{version}")
    merging = getattr(torchvision.models.swin_transformer, f"PatchMerging{version}")
    return torchvision.models.SwinTransformer(
        patch_size=[4, 4],
        embed_dim=24,
        depths=[2, 2],
        num_heads=[1, 2],
        window_size=[4, 4],
        num_classes=7,
        block=block,
        downsample_layer=merging,
    )


def maxvit():
    return torchvision.models.MaxVit(
        input_size=(SIZE, SIZE),
        stem_channels=16,
        partition_size=2,
        block_channels=[16, 32],
        block_layers=[1, 1],
        head_dim=8,
        stochastic_depth_prob=0.0,
        num_classes=7,
    )


def tower(**options):
    sizes = {"width": WIDTH, "layers": DEPTH, "heads": HEADS, "mlp_ratio": 2.0, "output_dim": 32}
    return open_clip.model.VisionTransformer(image_size=SIZE, patch_size=8, **{**sizes, **options})


def timm_tower():
    """OpenCLIP with timm's encoder, a projection and L2 norm behind, as its encode_image has them."""

    class Embedding(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk = vit("vit_base_patch16_siglip_224", patch_size=8, num_classes=0)
            self.projection = nn.Linear(WIDTH, 32, bias=False)

        def forward(self, image):
            return nn.functional.normalize(self.projection(self.trunk(image)), dim=-1)

    return Embedding()


def coca():
    return tower(attentional_pool=True, attn_pooler_queries=4, attn_pooler_heads=2, output_tokens=True)


def whole(name, size=SIZE, **options):
    """The library's model as it is; of segmentation what it says of each pixel."""

    class Map(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = torchvision.models.get_model(name, weights=None, **options)

        def forward(self, image):
            found = self.model(image)
            return found["out"] if isinstance(found, dict) else found

    return other(Map, (size, size))


CLASSIFIERS = (
    "convnext_tiny efficientnet_b0 googlenet mnasnet0_5 mobilenet_v2 mobilenet_v3_small regnet_y_400mf resnet18 "
    "resnext50_32x4d shufflenet_v2_x0_5 squeezenet1_1"
).split()
POOLER = {"attentional_pool": True, "attn_pooler_queries": 4, "attn_pooler_heads": 2}

FAMILIES = {
    "torchvision_vit": plain(vision_transformer),
    "torchvision_tokens": plain(Tokens),
    "torchvision_conv_stem": other(stem),
    "torchvision_swin": other(lambda: swin("")),
    "torchvision_swin2": other(lambda: swin("V2")),
    "torchvision_maxvit": other(maxvit),
    **{f"torchvision_{name}": whole(name, num_classes=7) for name in CLASSIFIERS},
    "torchvision_alexnet": whole("alexnet", 224, num_classes=7),
    "torchvision_vgg11_bn": whole("vgg11_bn", 224, num_classes=7),
    "torchvision_inception_v3": whole("inception_v3", 128, num_classes=7, init_weights=False),
    "torchvision_deeplab": whole("deeplabv3_mobilenet_v3_large", num_classes=5, weights_backbone=None),
    "torchvision_lraspp": whole("lraspp_mobilenet_v3_large", num_classes=5, weights_backbone=None),
    "torchvision_fcn": whole("fcn_resnet50", num_classes=5, weights_backbone=None),
    "open_clip": plain(lambda: tower(**POOLER)),
    "open_clip_class": plain(tower),
    "open_clip_average": plain(lambda: tower(pool_type="avg")),
    "open_clip_quick": plain(lambda: tower(act_layer=open_clip.transformer.QuickGELU)),
    "open_clip_scales": plain(lambda: tower(ls_init_value=0.1)),
    "open_clip_no_pre_norm": plain(lambda: tower(no_ln_pre=True)),
    "open_clip_final_norm": plain(lambda: tower(final_ln_after_pool=True, pool_type="avg")),
    "open_clip_sines": plain(lambda: tower(pos_embed_type="sin_cos_2d")),
    "open_clip_coca": plain(coca),
    "open_clip_timm": plain(timm_tower),
}
