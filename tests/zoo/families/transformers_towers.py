# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: vision towers of language models, of video and of documents."""

import torch
import transformers
from torch import nn
from transformers.models.bridgetower.modeling_bridgetower import BridgeTowerVisionModel
from transformers.models.florence2.modeling_florence2 import Florence2VisionBackbone
from transformers.models.kosmos2 import modeling_kosmos2 as kosmos2
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VisionTransformerPretrainedModel
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VisionTransformerPretrainedModel

from .family import DEPTH, HEADS, SIZE, WIDTH, Picked, config, hf, other, plain, varied
from .transformers_detection import Prompted
from .transformers_plain import LAST, POOLED

VIDEO = {"num_frames": 4, "tubelet_size": 2}


def simple(model, config_class, *names, size=(SIZE, SIZE), **options):
    """A model whose configuration has names of its own for sizes."""
    return other(
        lambda: Picked(getattr(transformers, model)(getattr(transformers, config_class)(**options)), *names), size
    )


class Part(nn.Module):
    """What one part of a model gives for a picture."""

    def __init__(self, part, name=None):
        super().__init__()
        self.part, self.name = part, name

    def forward(self, image):
        found = self.part(image)
        return found if self.name is None else getattr(found, self.name)


class Clip(nn.Module):
    """A model of clips, of which each frame is the picture, shifted a little more."""

    def __init__(self, model, frames, output, key="pixel_values", is_flat=False):
        super().__init__()
        self.model, self.frames, self.output, self.key, self.is_flat = model, frames, output, key, is_flat

    def forward(self, image):
        clip = torch.stack([image.roll(step, 3) for step in range(self.frames)], 1)
        clip = clip.flatten(0, 1) if self.is_flat else clip
        return self.model(**{self.key: clip}, return_dict=True)[self.output]


def clip_of(model, config_class, key="pixel_values", is_flat=False, **options):
    def build():
        made = config(getattr(transformers, config_class), **options)
        frames = options.get("num_frames", options.get("frames_per_clip"))
        return Clip(getattr(transformers, model)(made), frames, LAST, key, is_flat)

    return build


class Grid(nn.Module):
    """Qwen's towers take rows of patches, merged two by two; as people export them, for one grid."""

    def __init__(self, kind, made, patch=8, merge=2, frames=2):
        super().__init__()
        self.tower = kind._from_config(made)
        self.patch, self.merge, self.frames = patch, merge, frames
        side = SIZE // patch
        self.register_buffer("grid", torch.tensor([[1, side, side]]))

    def forward(self, image):
        side = SIZE // self.patch // self.merge
        shape = (1, 3, side, self.merge, self.patch, side, self.merge, self.patch)
        rows = image.reshape(shape).permute(0, 2, 5, 3, 6, 1, 4, 7)
        rows = rows.reshape(-1, 3, 1, self.patch**2).expand(-1, -1, self.frames, -1).reshape(-1, 3 * self.frames * self.patch**2)
        found = self.tower(rows, grid_thw=self.grid)
        return found.pooler_output if hasattr(found, "pooler_output") else found


def qwen2():
    made = transformers.Qwen2VLConfig().vision_config.__class__(
        depth=DEPTH, embed_dim=WIDTH, hidden_size=32, num_heads=HEADS, mlp_ratio=2, patch_size=8
    )
    return Grid(Qwen2VisionTransformerPretrainedModel, made)


def qwen25():
    made = transformers.Qwen2_5_VLConfig().vision_config.__class__(
        depth=DEPTH,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_heads=HEADS,
        out_hidden_size=32,
        patch_size=8,
        window_size=32,
        fullatt_block_indexes=[1, 3],
    )
    return Grid(Qwen2_5_VisionTransformerPretrainedModel, made)


def qwen3():
    made = transformers.Qwen3VLConfig().vision_config.__class__(
        depth=DEPTH,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_heads=HEADS,
        out_hidden_size=32,
        patch_size=8,
        num_position_embeddings=64,
        deepstack_visual_indexes=[1],
    )
    return Grid(transformers.Qwen3VLVisionModel, made)


class Projected(nn.Module):
    """LLaVA's and PaliGemma's way: rows of a tower, of the last block or the one before, through a small MLP."""

    def __init__(self, tower, layer, first, is_deep):
        super().__init__()
        self.tower, self.layer, self.first = tower, layer, first
        deep = nn.Sequential(nn.Linear(WIDTH, 48), nn.GELU(), nn.Linear(48, 48))
        self.projector = deep if is_deep else nn.Linear(WIDTH, 48)

    def forward(self, image):
        states = self.tower(image, output_hidden_states=True, return_dict=True).hidden_states
        return self.projector(states[self.layer][:, self.first :])


def llava():
    return Projected(transformers.CLIPVisionModel(config(transformers.CLIPVisionConfig)), -2, 1, True)


def paligemma():
    made = config(transformers.SiglipVisionConfig, vision_use_head=False)
    return Projected(transformers.SiglipVisionModel(made), -1, 0, False)


class Shuffled(nn.Module):
    """SmolVLM's tower and connector: four places become one token of four times the features."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.projector = nn.Linear(4 * WIDTH, 32, bias=False)

    def forward(self, image):
        rows = self.model(image, return_dict=True).last_hidden_state
        batch, count, width = rows.shape
        side = int(count**0.5)
        rows = rows.view(batch, side, side // 2, 2 * width).permute(0, 2, 1, 3)
        rows = rows.reshape(batch, side // 2, side // 2, 4 * width).permute(0, 2, 1, 3)
        return self.projector(rows.reshape(batch, count // 4, 4 * width))


def smol(name):
    made = config(getattr(transformers, f"{name}VisionConfig"))
    return Shuffled(getattr(transformers, f"{name}VisionTransformer")._from_config(made))


def florence2():
    made = transformers.Florence2Config().vision_config.__class__(
        depths=[1, 1, 1, 1],
        embed_dim=[16, 32, 48, 64],
        num_heads=[2, 2, 2, 2],
        num_groups=[2, 2, 2, 2],
        window_size=4,
        projection_dim=32,
    )
    return Part(Florence2VisionBackbone(made), LAST)


def imagegpt():
    """Of pixels already made tokens it needs whole numbers; here of a picture's rows as they are."""
    made = transformers.ImageGPTConfig(vocab_size=33, n_positions=64, n_embd=WIDTH, n_layer=DEPTH, n_head=HEADS)

    class Nearest(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.ImageGPTModel(made)
            self.colours = nn.Parameter(torch.randn(32, 3))

        def forward(self, image):
            small = nn.functional.avg_pool2d(image, 8).flatten(2).transpose(1, 2)
            far = (small[:, :, None] - self.colours).pow(2).sum(-1)
            return self.model(far.argmin(-1)).last_hidden_state

    return Nearest()


def layoutlmv3():
    made = config(
        transformers.LayoutLMv3Config,
        input_size=SIZE,
        text_embed=False,
        has_relative_attention_bias=False,
        has_spatial_attention_bias=False,
        coordinate_size=8,
        shape_size=8,
    )
    return Prompted(transformers.LayoutLMv3Model(made), (LAST,))


def bridgetower():
    made = config(transformers.BridgeTowerConfig().vision_config.__class__)
    return Part(BridgeTowerVisionModel(made))


FAMILIES = {
    "hf_llava": plain(llava),
    "hf_paligemma": plain(paligemma),
    "hf_idefics3": plain(lambda: smol("Idefics3")),
    "hf_smolvlm": plain(lambda: smol("SmolVLM")),
    "hf_kosmos2": plain(lambda: Part(kosmos2.Kosmos2VisionModel(config(kosmos2.Kosmos2VisionConfig)), LAST)),
    "hf_tipsv2": plain(hf("Tipsv2VisionModel", "Tipsv2VisionConfig", LAST, POOLED, mlp_ratio=2)),
    "hf_owlv2": plain(hf("Owlv2VisionModel", "Owlv2VisionConfig", LAST)),
    "hf_bridgetower": varied(bridgetower),
    "hf_layoutlmv3": varied(layoutlmv3),
    "hf_radio": varied(hf("RadioModel", "RadioConfig", LAST, mlp_ratio=2.0, max_img_size=128)),
    "hf_qwen2_vl": other(qwen2),
    "hf_qwen25_vl": other(qwen25),
    "hf_qwen3_vl": other(qwen3),
    "hf_florence2": other(florence2),
    "hf_mgp_str": varied(
        hf(
            "MgpstrForSceneTextRecognition",
            "MgpstrConfig",
            "logits",
            image_size=[32, 128],
            max_token_length=5,
            num_bpe_labels=20,
            num_wordpiece_labels=20,
            mlp_ratio=2,
        ),
        (32, 128),
    ),
    "hf_donut": simple(
        "DonutSwinModel", "DonutSwinConfig", LAST, image_size=56, patch_size=2, embed_dim=24, depths=[1, 1], num_heads=[1, 2], size=(56, 56)
    ),
    "hf_imagegpt": other(imagegpt),
    "hf_videomae": varied(clip_of("VideoMAEModel", "VideoMAEConfig", **VIDEO)),
    "hf_timesformer": other(clip_of("TimesformerModel", "TimesformerConfig", num_frames=4)),
    "hf_vivit": varied(clip_of("VivitModel", "VivitConfig", num_frames=4, tubelet_size=[2, 8, 8])),
    "hf_vjepa2": varied(
        clip_of(
            "VJEPA2Model",
            "VJEPA2Config",
            key="pixel_values_videos",
            crop_size=SIZE,
            frames_per_clip=4,
            mlp_ratio=2,
            pred_hidden_size=32,
            pred_num_attention_heads=2,
            pred_num_hidden_layers=1,
            num_pooler_layers=1,
        )
    ),
    "hf_x_clip": other(
        clip_of("XCLIPVisionModel", "XCLIPVisionConfig", is_flat=True, num_frames=4, mit_hidden_size=WIDTH)
    ),
    "hf_sapiens2": varied(
        hf(
            "Sapiens2Model",
            "Sapiens2Config",
            LAST,
            num_key_value_attention_heads=1,
            num_first_full_attention_layers=1,
            num_last_full_attention_layers=1,
            num_register_tokens=2,
        )
    ),
}
