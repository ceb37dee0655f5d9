#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small models of many families by many exporters into a folder, for try_zoo.py.

    python3 write_zoo.py FOLDER [--only FAMILY ...] [--ways WAY ...] [--sample PART]

Needs the packages of requirements.txt beside it. Files that are there are left alone; what an
exporter refuses is printed and left out. Each model has random weights, and position embeddings as
large as they are. All families in all ways take a night and 100 GB. --sample writes one of ten parts of the families
(0 to 9), each family in one way, or in the next one that its exporter does not refuse. Part and way
follow from its name.
"""

import argparse
import pathlib
import sys
import tempfile
import warnings
import zlib

import onnx
import torch
from families import FAMILIES


PARTS = 10


def names_of(inputs):
    return ["image", *(f"state{i}" for i in range(len(inputs) - 1))]


# Which axes of a picture are open.
NO_AXES, BATCH, ANY_PICTURE = (), ("batch",), ("batch", "channels", "height", "width")


def by_torchscript(model, inputs, path, opset, open_axes):
    axes = {name: {0: "batch"} for name in names_of(inputs)}
    axes["image"] = dict(enumerate(open_axes))
    for module in model.modules():
        if hasattr(module, "fused_attn"):  # whose operator it cannot export everywhere
            module.fused_attn = False
    torch.onnx.export(
        model, inputs, str(path), input_names=names_of(inputs), opset_version=opset,
        dynamic_axes=axes if open_axes else None, dynamo=False,
    )


def by_dynamo(model, inputs, path, opset, open_axes, decompose=False):
    shapes = ({0: torch.export.Dim.DYNAMIC},) * len(inputs) if open_axes else None
    if decompose:  # to the operators that a compiler is left with
        model = torch.export.export(model, inputs, dynamic_shapes=shapes).run_decompositions()
    program = torch.onnx.export(
        model, inputs, input_names=names_of(inputs), opset_version=opset, dynamic_shapes=shapes,
        dynamo=True, verbose=False,
    )
    program.save(str(path), external_data=False)


def by_decomposition(*arguments):
    by_dynamo(*arguments, decompose=True)


def simplified(source, path):
    import onnxsim

    made, is_same = onnxsim.simplify(onnx.load(str(source)))
    if not is_same:
        raise RuntimeError("onnxsim's model differs")
    onnx.save(made, str(path))


def slimmed(source, path):
    import onnxslim

    onnx.save(onnxslim.slim(onnx.load(str(source))), str(path))


def optimised(source, path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def halved(source, path):
    """Weights and what is computed in float16, pictures and outputs in float32."""
    from onnxruntime.transformers import float16

    onnx.save(float16.convert_float_to_float16(onnx.load(str(source)), keep_io_types=True), str(path))


def by_calls(source, path):
    """Whole numbers whose scales are taken of each picture as it comes."""
    from onnxruntime import quantization

    quantization.quantize_dynamic(onnx.load(str(source)), str(path), weight_type=quantization.QuantType.QInt8)


def by_pictures(source, path):
    """Whole numbers with scales that a few pictures gave."""
    from onnxruntime import quantization
    from onnxruntime.quantization import shape_inference

    class Pictures(quantization.CalibrationDataReader):
        def __init__(self, inputs):
            chance = torch.Generator().manual_seed(2)
            sizes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in inputs}
            self.feeds = iter(
                [{name: torch.randn(size, generator=chance).numpy() for name, size in sizes.items()} for _ in range(4)]
            )

        def get_next(self):
            return next(self.feeds, None)

    shape_inference.quant_pre_process(str(source), str(path), skip_symbolic_shape=True)
    prepared = onnx.load(str(path))
    quantization.quantize_static(prepared, str(path), Pictures(prepared.graph.input))


def by_blocks(source, path):
    """Weights of 4 bits, with a scale for each 16."""
    from onnxruntime.quantization import matmul_nbits_quantizer

    tool = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(str(source)), block_size=16, is_symmetric=False)
    tool.process()
    onnx.save(tool.model.model, str(path))


EXPORTS = {
    "ts14": (by_torchscript, 14, NO_AXES),
    "ts17": (by_torchscript, 17, NO_AXES),
    "ts17open": (by_torchscript, 17, BATCH),
    "ts17any": (by_torchscript, 17, ANY_PICTURE),  # as Optimum writes them
    "dynamo18": (by_dynamo, 18, NO_AXES),
    "dynamo18open": (by_dynamo, 18, BATCH),
    "dynamo20": (by_dynamo, 20, NO_AXES),
    "dynamo23open": (by_dynamo, 23, BATCH),
    "dynamo24": (by_dynamo, 24, NO_AXES),
    "decomposed20open": (by_decomposition, 20, BATCH),
}
# Of another way's file.
REWRITES = {
    "sim": (simplified, "ts17"),
    "slim": (slimmed, "ts17open"),
    "ort": (optimised, "ts17"),
    "ortdynamo": (optimised, "dynamo18"),
    "simdynamo": (simplified, "dynamo20"),
    "slimdynamo": (slimmed, "dynamo23open"),
    "half": (halved, "ts17"),
    "int8dynamic": (by_calls, "ts17"),
    "int8static": (by_pictures, "ts17"),
    "int4": (by_blocks, "ts17"),
}
FEWER_BITS = ("half", "int8dynamic", "int8static")


def stir(model):
    """What libraries begin with as zeros or ones (biases, LayerScale, tables of positions) gets
    values of its own: a bias of nothing is no bias. And weights get the size at which a picture is
    still seen behind twenty layers: a result that is the same for every picture proves nothing."""
    for parameter in model.parameters():
        if parameter.numel() == 0:
            continue
        if (parameter == parameter.flatten()[0]).all():
            parameter.data += torch.randn_like(parameter) * (0.05 if parameter.abs().max() > 0.5 else 0.3)
        elif parameter.dim() > 1:
            inputs = parameter[0].numel()
            parameter.data *= 1.2 / inputs**0.5 / parameter.std()
    for name, values in model.named_buffers():
        if name.endswith("running_mean"):
            values += torch.randn_like(values) * 0.05
        elif name.endswith("running_var"):
            values += torch.rand_like(values)
    return model


def with_statistics(model, family):
    """Norms over batches get the means and variances of a few pictures, as training leaves them: with others
    what a picture says dies out in a deep convolutional model."""
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = 1.0
        norm.train()
    if norms:
        with torch.no_grad():
            model(*(torch.randn(4, *shape) for shape in ((3, *family.size), *family.more)))
    return model.eval()


def write_file(name, family, folder):
    path = folder / f"{name}.file.onnx"
    if not path.exists():
        onnx.save(family.build(), str(path))


def write(name, family, folder, ways):
    if family.is_written:
        write_file(name, family, folder)
        return
    paths = {way: folder / f"{name}.{way}.onnx" for way in [*EXPORTS, *REWRITES]}
    model = None
    for way in ways:
        path = paths[way]
        if path.exists():
            continue
        try:
            if way in REWRITES:
                rewrite, source = REWRITES[way]
                if not paths[source].exists():
                    continue
                rewrite(paths[source], path)
            else:
                if model is None:
                    torch.manual_seed(1)
                    model = with_statistics(stir(family.build().eval()), family)
                export, opset, open_axes = EXPORTS[way]
                batch = 2 if open_axes else 1
                inputs = tuple(torch.randn(batch, *shape) for shape in ((3, *family.size), *family.more))
                with torch.no_grad():
                    export(model, inputs, path, opset, open_axes)
            print(f"{path.name}: {path.stat().st_size} bytes", flush=True)
        except Exception as error:  # noqa: BLE001 - exporters raise anything
            path.unlink(missing_ok=True)
            words = str(error).strip().splitlines()
            print(f"{path.name}: not exported: {words[0][:160] if words else error!r}", flush=True)


def chance(name):
    return zlib.crc32(name.encode())


def sample(name, family, folder):
    """One file; what it is rewritten from stays in `floats` alone, where that is computed in other numbers."""
    ways = [*EXPORTS, *REWRITES]
    first = chance(name) % len(ways)
    for way in [*ways[first:], *ways[:first]]:
        if any(folder.glob(f"{name}.*.onnx")):
            return
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            beside = pathlib.Path(beside)
            write(name, family, beside, [REWRITES[way][1], way] if way in REWRITES else [way])
            made = list(beside.glob(f"{name}.{'file' if family.is_written else way}.onnx*"))
            for path in made:
                path.rename(folder / path.name)
            if made and way in FEWER_BITS:
                (folder / "floats").mkdir(exist_ok=True)
                source = f"{name}.{REWRITES[way][1]}.onnx"
                (beside / source).rename(folder / "floats" / source)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--ways", nargs="+", default=[*EXPORTS, *REWRITES])
    parser.add_argument("--sample", type=int, choices=range(PARTS), metavar="PART")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    torch.backends.mha.set_fastpath_enabled(False)  # a fused operator that is not exported
    for name in options.only or FAMILIES:
        if name not in FAMILIES:
            sys.exit(f"there is no family {name}; there are {', '.join(FAMILIES)}")
        if options.sample is None:
            write(name, FAMILIES[name], options.folder, options.ways)
        elif chance(name) // len([*EXPORTS, *REWRITES]) % PARTS == options.sample:
            sample(name, FAMILIES[name], options.folder)


if __name__ == "__main__":
    main()
