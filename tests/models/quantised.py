# SPDX-License-Identifier: Apache-2.0
"""Models that ONNX Runtime's tools wrote with whole numbers. Their expected outputs are those of the same model in
float32 with the weights that the whole numbers stand for: what a product is rounded to on its way is not the model's."""

import functools
import pathlib
import tempfile

import families
import numpy
import onnx
import pictures
from fixture import DEPTH, Fixture
from onnx import numpy_helper
from onnxruntime import quantization
from onnxruntime.quantization import matmul_nbits_quantizer, shape_inference

KNOWN = {}  # by file: the model in float32 with what its numbers stand for


class Pictures(quantization.CalibrationDataReader):
    def __init__(self, name):
        self.feeds = iter([{name: pictures.images(48, 64)}])

    def get_next(self):
        return next(self.feeds, None)


def real(numbers, scale, zero, axis):
    """What whole numbers stand for, with scales along an axis or one."""
    shape = [1] * numbers.ndim
    if scale.size > 1:
        shape[axis] = -1
    zero = numpy.zeros(scale.shape, int) if zero is None else zero.astype(int)
    return (numbers.astype(int) - zero.reshape(shape)).astype(numpy.float32) * scale.reshape(shape)


def with_real_weights(plain, path):
    """The float32 model with each constant that the file at `path` has as whole numbers as those stand for."""
    model, file = onnx.load_from_string(plain), onnx.load(str(path))
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in file.graph.initializer}
    axes = {
        node.input[0]: attribute.i
        for node in file.graph.node
        for attribute in node.attribute
        if attribute.name == "axis" and node.op_type == "DequantizeLinear"
    }

    def replace(tensor, name):
        numbers = found.get(name + "_quantized")
        if numbers is None:
            return
        scale = found.get(name + "_scale", found.get(name + "_quantized_scale"))
        zero = found.get(name + "_zero_point", found.get(name + "_quantized_zero_point"))
        axis = axes.get(name + "_quantized", 0 if numbers.ndim == 4 else -1)
        values, shape = real(numbers, scale, zero, axis), numpy_helper.to_array(tensor).shape
        if values.shape != shape:  # of a Gemm that became a MatMul
            values = values.T
        tensor.CopyFrom(numpy_helper.from_array(values.reshape(shape), tensor.name))

    for tensor in model.graph.initializer:
        replace(tensor, tensor.name)
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute[0].HasField("t"):
            replace(node.attribute[0].t, node.output[0])
    return model.SerializeToString()


def prepare(path):
    """What the static tools want done to a file before."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = pathlib.Path(folder) / "prepared.onnx"
        shape_inference.quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
        path.write_bytes(prepared.read_bytes())


def dynamic(path, **options):
    plain = path.read_bytes()
    quantization.quantize_dynamic(onnx.load_from_string(plain), str(path), **options)
    KNOWN[path] = with_real_weights(plain, path)


def static(path, **options):
    prepare(path)
    plain = path.read_bytes()
    name = onnx.load_from_string(plain).graph.input[0].name
    quantization.quantize_static(onnx.load_from_string(plain), str(path), Pictures(name), **options)
    KNOWN[path] = with_real_weights(plain, path)


def four_bits(path, **options):
    """Weights as constants of 4 bits with DequantizeLinear, which shares a scale among 16 of an axis."""
    plain = onnx.load(str(path))
    settings = matmul_nbits_quantizer.DefaultWeightOnlyQuantConfig(
        block_size=16, quant_format=quantization.QuantFormat.QDQ, **options
    )
    tool = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(str(path)), algo_config=settings)
    tool.process()
    file = tool.model.model
    onnx.save(file, str(path))
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in file.graph.initializer}
    own = {tensor.name: tensor for tensor in plain.graph.initializer}
    for node in file.graph.node:
        if node.op_type != "DequantizeLinear":
            continue
        facts = {attribute.name: attribute.i for attribute in node.attribute}
        numbers, *parts = (found[name].astype(numpy.float32) for name in node.input if name)
        size = numbers.shape[facts["axis"]]
        spread = [part.repeat(facts["block_size"], facts["axis"])[:size] for part in parts]
        values = (numbers - (spread[1] if len(spread) > 1 else 0)) * spread[0]
        name = node.input[0].split("_DQ_Q4")[0]
        own[name].CopyFrom(numpy_helper.from_array(numpy.ascontiguousarray(values), name))
    KNOWN[path] = plain.SerializeToString()


def fixtures():
    def make(name, after, tool, gelu="erf", **options):
        return Fixture(
            f"quantised_{name}",
            "timm",
            f"ViT, timm, {tool}",
            functools.partial(families.timm_vit, **options),
            ("logits",),
            seed=3,
            after=after,
            tool=f"quantised, {tool}",
            stands_for=KNOWN.get,
            tolerance=0.5,
            facts={"blocks": DEPTH, "gelu": gelu},
        )

    q = quantization
    return [
        make("dynamic", functools.partial(dynamic, weight_type=q.QuantType.QInt8), "ONNX Runtime, dynamic"),
        make("dynamic_channels", functools.partial(dynamic, weight_type=q.QuantType.QUInt8, per_channel=True), "ONNX Runtime, dynamic, a scale a channel"),
        make("static", static, "ONNX Runtime, static"),
        make("static_relu", functools.partial(static, per_channel=True, activation_type=q.QuantType.QUInt8), "ONNX Runtime, static, a scale a channel, ReLU left out", gelu="", act_layer="relu"),
        make("four_bits_qdq", functools.partial(four_bits, is_symmetric=False), "ONNX Runtime, constants of 4 bits without sign"),
        make("four_bits_signed", functools.partial(four_bits, is_symmetric=True), "ONNX Runtime, constants of 4 bits with sign"),
    ]
