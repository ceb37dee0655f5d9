# SPDX-License-Identifier: Apache-2.0
"""Encoders whose blocks are not those of the first ViT: positions inside their attention, other
norms and MLPs, branches side by side, tokens that join midway, patches of a padded image."""

import functools

import timm.models.vision_transformer as timm_vit
import torch
import transformers
from timm.models.beit import Beit
from timm.models.eva import Eva
from timm.models.vision_transformer_relpos import VisionTransformerRelPos
from torch import nn

import families
from fixture import CLASSES, DEPTH, DIM, HEADS, HIDDEN, PATCH, SQUARE, WIDE, Fixture, Outputs
from refused import plain


def huggingface(model, config, **options):
    sizes = {
        "hidden_size": DIM,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
        "intermediate_size": HIDDEN,
        "patch_size": PATCH,
        "image_size": 64,
    }
    return model(config(**{**sizes, **options}))


def eomt():
    model = huggingface(
        transformers.EomtForUniversalSegmentation,
        transformers.EomtConfig,
        mlp_ratio=2,
        num_blocks=1,
        num_queries=3,
        num_labels=CLASSES,
        num_upscale_blocks=1,
        num_register_tokens=1,
    )
    model.attn_mask_probs.fill_(0)  # masks are for training
    return model


def vitpose():
    backbone = transformers.VitPoseBackboneConfig(
        image_size=[48, 64],
        patch_size=[PATCH, PATCH],
        hidden_size=DIM,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        mlp_ratio=2,
        out_indices=[DEPTH],
    )
    config = transformers.VitPoseConfig(backbone_config=backbone, num_labels=CLASSES)
    return transformers.VitPoseForPoseEstimation(config)


def relpos():
    return VisionTransformerRelPos(
        img_size=(48, 64),
        patch_size=PATCH,
        embed_dim=DIM,
        depth=DEPTH,
        num_heads=HEADS,
        mlp_ratio=2,
        num_classes=CLASSES,
        class_token=True,
        block_fn=timm_vit_relpos_post(),
    )


def timm_vit_relpos_post():
    import timm.models.vision_transformer_relpos as library

    return library.ResPostRelPosBlock


class PostNorm(nn.Module):
    """PyTorch's own layers, with a norm behind each sum and none in front of attention."""

    def __init__(self):
        super().__init__()
        torch.backends.mha.set_fastpath_enabled(False)  # an operator that is not exported
        self.vit = families.timm_vit(depth=0)
        layer = nn.TransformerEncoderLayer(DIM, HEADS, HIDDEN, activation="gelu", batch_first=True, layer_norm_eps=1e-6)
        self.layers = nn.TransformerEncoder(layer, DEPTH, enable_nested_tensor=False)

    def forward(self, image):
        tokens = self.layers(self.vit._pos_embed(self.vit.patch_embed(image)))
        return self.vit.forward_head(tokens)


class HeadScales(nn.Module):
    """Attention of SimpleViT with normalised q and k: of length one, times a vector for each head; and of q k, as
    in the second Swin, a number for each head."""

    def __init__(self):
        super().__init__()
        self.qkv, self.proj = nn.Linear(DIM, 3 * DIM, bias=False), nn.Linear(DIM, DIM, bias=False)
        self.q_gamma, self.k_gamma = (nn.Parameter(torch.ones(HEADS, 1, DIM // HEADS)) for _ in range(2))
        self.temperature = nn.Parameter(torch.zeros(HEADS, 1, 1))

    def forward(self, x, attn_mask=None, is_causal=False):
        heads = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        q, k, v = heads
        q = nn.functional.normalize(q, dim=-1) * (DIM // HEADS) ** 0.5 * self.q_gamma
        k = nn.functional.normalize(k, dim=-1) * (DIM // HEADS) ** 0.5 * self.k_gamma
        weights = (q @ k.transpose(-2, -1) * self.temperature.exp()).softmax(-1)
        return self.proj((weights @ v).transpose(1, 2).flatten(2))


def head_scales():
    model = families.timm_vit()
    for block in model.blocks:
        block.attn = HeadScales()
    return model


class DeepPrompts(nn.Module):
    """Visual prompt tuning: rows behind the class token that are others in front of each block."""

    def __init__(self, count=3):
        super().__init__()
        self.vit = families.timm_vit()
        self.prompts = nn.ParameterList(nn.Parameter(torch.zeros(1, count, DIM)) for _ in range(DEPTH))

    def forward(self, image):
        tokens = self.vit._pos_embed(self.vit.patch_embed(image))
        for i, (block, prompts) in enumerate(zip(self.vit.blocks, self.prompts)):
            rest = tokens[:, 1 + (prompts.shape[1] if i > 0 else 0) :]
            tokens = block(torch.cat([tokens[:, :1], prompts.expand(image.shape[0], -1, -1), rest], dim=1))
        return self.vit.forward_head(self.vit.norm(tokens))


class SelfSimilar(nn.Module):
    """CLIP's last block as SCLIP has it: what q and k are alike to, each for itself."""

    def __init__(self):
        super().__init__()
        self.vit = families.timm_vit()

    def forward(self, image):
        vit = self.vit
        tokens = vit._pos_embed(vit.patch_embed(image))
        for block in vit.blocks[:-1]:
            tokens = block(tokens)
        last = vit.blocks[-1]
        heads = last.attn.qkv(last.norm1(tokens)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        q, k, v = heads.unbind(0)
        alike = [(x @ x.transpose(-2, -1) * last.attn.scale).softmax(-1) for x in (q, k)]
        tokens = tokens + last.attn.proj(((alike[0] + alike[1]) @ v).transpose(1, 2).flatten(2))
        return vit.forward_head(vit.norm(tokens + last.mlp(last.norm2(tokens))))


class LastAttention(nn.Module):
    """DINO's maps: what the last block's class token attends to, beside the model's own output."""

    def __init__(self):
        super().__init__()
        self.model = families.huggingface(
            transformers.ViTConfig, transformers.ViTModel, attn_implementation="eager", num_hidden_layers=DEPTH
        )

    def forward(self, image):
        found = self.model(image, output_attentions=True, return_dict=True)
        return found.last_hidden_state, found.attentions[-1][:, :, 0] * 49


def fixtures():
    made = []

    def make(name, variant, build, outputs=("logits",), **options):
        facts = options.pop("facts", {})
        loose = {"gelu": "", "qkv": "loose", "norm_eps": 1e-6}
        made.append(Fixture(name, "loose", variant, build, outputs, facts={**loose, **facts}, **options))

    def hf(name, model, config, outputs, **options):
        settings = {key: options.pop(key) for key in list(options) if key in families.FIXTURE_OPTIONS}
        make(
            name,
            f"{model.__name__}, transformers",
            functools.partial(huggingface, model, config, **options),
            outputs,
            wrap=lambda inner: Outputs(inner, outputs),
            input_name="pixel_values",
            input=SQUARE,
            **settings,
        )

    t = transformers
    erf = {"gelu": "erf"}
    own = {"keeps_size": True}  # rotary positions that could be scaled or not; a pooling of its own size, a factor of its number of tokens
    last = ("last_hidden_state",)
    for name, way in (("hf_dinov3", {}), ("hf_dinov3_dynamo", {"exporter": "dynamo", "opset": 20})):
        hf(name, t.DINOv3ViTModel, t.DINOv3ViTConfig, last, num_register_tokens=2, other_input=WIDE, facts={**erf, "special": 3}, **way)
    hf("hf_dinov3_gated", t.DINOv3ViTModel, t.DINOv3ViTConfig, last, num_register_tokens=0, use_gated_mlp=True, hidden_act="silu", other_input=WIDE)
    rope = functools.partial(plain, Eva, depth=DEPTH, use_rot_pos_emb=True, use_abs_pos_emb=False)
    make("timm_rope", "EVA with rotary positions, timm", rope, facts={**erf, **own})
    make("timm_rope_gated", "EVA-02, SwiGLU, timm", functools.partial(rope, swiglu_mlp=True, scale_mlp=True), facts=own)
    pretrained = functools.partial(rope, ref_feat_shape=(4, 4))
    make("timm_rope_scaled", "EVA with rotary positions of another grid, timm", pretrained, other_input=SQUARE, build_other=functools.partial(pretrained, img_size=64), facts=erf)
    perception = {"attn_type": "rope", "use_abs_pos_emb": True, "use_pre_transformer_norm": True, "rope_grid_offset": 1.0, "rope_grid_indexing": "xy", "global_pool": "map", "attn_pool_num_heads": HEADS, "attn_pool_mlp_ratio": 2.0}
    make("timm_perception", "Perception Encoder, timm", functools.partial(pretrained, **perception), facts={**erf, **own})
    beit = functools.partial(plain, Beit, depth=DEPTH, use_rel_pos_bias=True, use_abs_pos_emb=False)
    make("timm_beit", "BEiT with relative positions, timm", beit, facts=erf)
    hf("hf_beit", t.BeitForImageClassification, t.BeitConfig, ("logits",), num_labels=CLASSES, use_shared_relative_position_bias=True, other_input=WIDE, facts=erf)
    hf("hf_data2vec", t.Data2VecVisionForImageClassification, t.Data2VecVisionConfig, ("logits",), num_labels=CLASSES, use_shared_relative_position_bias=True, other_input=WIDE, facts=erf)
    make("timm_relpos", "relative positions, norms behind the branches, timm", relpos, facts=erf)
    vit = families.timm_vit
    make("timm_qk_norm", "ViT, qk_norm, timm", functools.partial(vit, qk_norm=True), facts=erf)
    make("head_scales", "ViT, q and k of length one and scaled by head", head_scales, facts=erf)
    prompts = {"mergeable": False, "reason": "what comes before its attention"}
    make("deep_prompts", "ViT with other prompts for each block", DeepPrompts, **prompts)
    sclip = {**erf, "blocks": DEPTH - 1, "qkv": "packed"}
    make("last_block_own", "ViT whose last block is as SCLIP has it", SelfSimilar, facts=sclip)
    weights = ("last_hidden_state", "weights")
    make("last_weights", "ViTModel with its last attention as an output, transformers", LastAttention, weights, facts={**erf, **own, "qkv": "separate", "norm_eps": 1e-12})
    make("timm_relu", "ViT with ReLU, timm", functools.partial(vit, act_layer="relu"))
    side = functools.partial(vit, block_fn=timm_vit.ParallelScalingBlock)
    make("timm_parallel", "attention and MLP side by side, timm", side, facts=erf)
    things = functools.partial(vit, block_fn=timm_vit.ParallelThingsBlock, init_values=0.1)
    make("timm_parallel_things", "two attentions, then two MLPs side by side, timm", things, facts={**erf, "layer_scale": True})
    make("torch_post_norm", "PyTorch's own layers, a norm behind each sum", PostNorm, facts=erf)
    hf("hf_aimv2", t.Aimv2VisionModel, t.Aimv2VisionConfig, last, facts={"special": 0})
    hf("hf_mlcd", t.MLCDVisionModel, t.MLCDVisionConfig, last, facts={**erf, **own, "adapts": True})
    hf("hf_dinov2_gated", t.Dinov2Model, t.Dinov2Config, last, use_swiglu_ffn=True, mlp_ratio=2, facts={"adapts": True})
    hf("hf_yolos", t.YolosForObjectDetection, t.YolosConfig, ("logits", "pred_boxes"), image_size=[64, 64], num_detection_tokens=4, num_labels=CLASSES, facts={**erf, "special": 5, "qkv": "separate", "adapts": True})
    queries = ("masks_queries_logits", "class_queries_logits")
    make("hf_eomt", "EoMT, transformers", eomt, queries, wrap=lambda inner: Outputs(inner, queries), input_name="pixel_values", input=SQUARE, facts={**erf, "blocks": 2, "special": 2, "layer_scale": True, "qkv": "separate"})
    make("hf_vitpose", "ViTPose, transformers", vitpose, ("heatmaps",), wrap=lambda inner: Outputs(inner, ("heatmaps",)), input_name="pixel_values", facts={**erf, "special": 0, "qkv": "separate"})
    return made
