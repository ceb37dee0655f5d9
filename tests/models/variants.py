# SPDX-License-Identifier: Apache-2.0
"""The same two models as every exporter and tool writes them, and in every way of storing them."""

import functools
import pathlib

import onnx
import onnxruntime
import onnxsim
import timm.layers
import transformers
from onnxconverter_common import float16

import families
from fixture import Fixture, Outputs

SHALLOW = 2  # blocks: there are many of these files


def vit(fused=True, **options):
    """timm's ViT; its attention as one operator of PyTorch, or written out."""
    timm.layers.set_fused_attn(fused)
    try:
        return families.timm_vit(**{"depth": SHALLOW, **options})
    finally:
        timm.layers.set_fused_attn(True)


def segmenter(**options):
    return families.segmenter(**{"depth": SHALLOW, "decoder_depth": 1, **options})


def simplify(path):
    model, right = onnxsim.simplify(onnx.load(str(path)))
    if not right:
        raise RuntimeError(f"onnxsim changed what {path} computes.")
    onnx.save(model, str(path))


def optimise(level, path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(path)
    source = path.read_bytes()
    onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def to_half(keep, path):
    # The converter leaves casts to float32 in computed shapes behind; simplified, there are none.
    simplify(path)
    model = float16.convert_float_to_float16(onnx.load(str(path)), keep_io_types=keep)
    onnx.save(model, str(path))


def to_external(path):
    beside = pathlib.Path(str(path) + ".data")
    beside.unlink(missing_ok=True)  # onnx appends to it
    onnx.save(
        onnx.load(str(path)),
        str(path),
        save_as_external_data=True,
        location=beside.name,
        size_threshold=256,
    )


LEVELS = onnxruntime.GraphOptimizationLevel
TOOLS = {
    "simplified": ("onnxsim", simplify),
    "ort_basic": (
        "ONNX Runtime, basic",
        functools.partial(optimise, LEVELS.ORT_ENABLE_BASIC),
    ),
    "ort_extended": (
        "ONNX Runtime, extended",
        functools.partial(optimise, LEVELS.ORT_ENABLE_EXTENDED),
    ),
}
# TorchScript writes 14 and 16 alike; 17 is what the families have.
OPSETS = {"timm_vit": (13, 14, 17, 18), "segmenter": (13, 16, 18)}
MODELS = {
    "timm_vit": ("timm", "logits", vit, {}),
    "segmenter": ("segmenter", "masks", segmenter, {"norm_eps": 1e-5, "decoder_blocks": 1}),
}


def exported(model, suffix, variant, build=None, **options):
    family, output, plain, facts = MODELS[model]
    facts = {"blocks": SHALLOW, **facts, **options.pop("facts", {})}
    return Fixture(
        f"{model}_{suffix}",
        family,
        variant,
        build or plain,
        (output,),
        seed=3,
        facts=facts,
        **options,
    )


def exporter_fixtures():
    found = []
    for model in MODELS:
        small = {"build": functools.partial(segmenter, upsample=False)}
        small = small if model == "segmenter" else {}
        for opset in OPSETS[model]:
            options = small
            if opset == 13:  # the oldest Resize, and timm's attention has no opset 13
                written_out = {"build": functools.partial(vit, fused=False)}
                options = {} if model == "segmenter" else written_out
            found.append(
                exported(model, f"opset{opset}", f"TorchScript, {opset}", opset=opset, **options)
            )
        for opset in (18, 20, 23):
            found.append(
                exported(
                    model,
                    f"dynamo{opset}",
                    f"dynamo, {opset}",
                    exporter="dynamo",
                    opset=opset,
                    **small,
                )
            )
        for suffix, (tool, after) in TOOLS.items():
            found.append(exported(model, suffix, tool, tool=tool, after=after, **small))
    return found


def storage_fixtures():
    small = functools.partial(segmenter, upsample=False)
    half = {"tolerance": 1e-2}
    keep = {"after": functools.partial(to_half, True), "tool": "float16, float32 input and output"}
    throughout = {"after": functools.partial(to_half, False), "tool": "float16 throughout"}
    outside = {"after": to_external, "tool": "external data"}
    return [
        exported("timm_vit", "half", "float16, float32 input and output", **half, **keep),
        exported("timm_vit", "half_io", "float16 throughout", **half, **throughout),
        exported("segmenter", "half", "float16 throughout", build=small, **half, **throughout),
        exported("timm_vit", "external", "external data", **outside),
        exported("segmenter", "static", "batch of 1", build=small, dynamic=()),
        exported("timm_vit", "static", "batch of 1", dynamic=()),
        exported("timm_vit", "open_size", "height and width open", dynamic=(0, 2, 3)),
        hf_open_size(),
    ]


def hf_open_size():
    outputs = ("last_hidden_state",)
    return Fixture(
        "hf_vit_open_size",
        "transformers",
        "ViTModel, height and width open, positions of 64x64 resized in the graph",
        functools.partial(
            families.huggingface,
            transformers.ViTConfig,
            transformers.ViTModel,
            image_size=64,
            attn_implementation="sdpa",
        ),
        outputs,
        seed=3,
        wrap=lambda model: Outputs(model, outputs, interpolate_pos_encoding=True),
        input_name="pixel_values",
        dynamic=(0, 2, 3),
        facts={"blocks": SHALLOW, "qkv": "separate", "norm_eps": 1e-12},
    )


def fixtures():
    return exporter_fixtures() + storage_fixtures()
