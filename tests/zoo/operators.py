# SPDX-License-Identifier: Apache-2.0
"""Models of one node each: what models around a ViT are made of, in the ways that exporters call it."""

import dataclasses
import itertools

import numpy
from onnx import TensorProto, helper, numpy_helper, shape_inference




@dataclasses.dataclass(frozen=True)
class Case:
    """`inputs`: "x" is the model's input, "" is left out, and arrays are constants."""

    kind: str
    inputs: tuple
    attributes: tuple = ()
    shape: tuple = (4, 6, 5)  # of x, without the batch
    outputs: int = 1
    opset: int = 17
    closed: bool = False  # it depends on how many images there are
    front: "Case | None" = None  # a node of the same shape, whose output is this one's x

    def words(self):
        behind = f" behind {self.front.words()}" if self.front else ""
        constants = [list(each.shape) for each in self.inputs if isinstance(each, numpy.ndarray)]
        attributes = ", ".join(f"{key}={value}" for key, value in self.attributes)
        return f"{self.kind} of {list(self.shape)} {constants or ''} {attributes} opset {self.opset}{behind}"

    def node(self, prefix, x, made):
        """A node that reads that x, and its constants."""
        names, constants = [], []
        for i, each in enumerate(self.inputs):
            names.append((x if each == "x" else each) if isinstance(each, str) else f"{prefix}c{i}")
            if not isinstance(each, str):
                constants.append(numpy_helper.from_array(each, names[-1]))
        return helper.make_node(self.kind, names, made, **dict(self.attributes)), constants

    def model(self, batch, prefix=""):
        """ONNX, for a number of images, or any ("N"); all names but the input's begin with `prefix`."""
        made = [f"{prefix}y{i}" for i in range(self.outputs)]
        node, constants = self.node(prefix, f"{prefix}x" if self.front else "x", made)
        nodes = [node]
        if self.front:
            node, others = self.front.node(f"{prefix}front_", "x", [f"{prefix}x"])
            nodes, constants = [node, *nodes], constants + others
        graph = helper.make_graph(
            nodes,
            "one",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, *self.shape])],
            [helper.make_empty_tensor_value_info(name) for name in made],
            constants,
        )
        # Some importers go by who wrote a file.
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, producer_name="pytorch", ir_version=8, opset_imports=opsets)
        return shape_inference.infer_shapes(model)  # types of its outputs


chance = numpy.random.default_rng(1)


def floats(*dims):
    return chance.standard_normal(dims).astype(numpy.float32)


def whole(*values):
    return numpy.array(values, numpy.int64)


def case(kind, *inputs, shape=(4, 6, 5), outputs=1, opset=17, closed=False, **attributes):
    return Case(kind, inputs, tuple(attributes.items()), shape, outputs, opset, closed)


def fronts():
    """What importers put the node behind it into, or take for a part of it."""
    for kind in "Abs Elu Erf Exp HardSigmoid LeakyRelu Relu Sigmoid Softplus Tanh".split():
        yield case(kind, "x")
    for kind, constant in itertools.product(("Add", "Sub", "Mul", "Div"), (floats(1) + 2, floats(4, 1, 1))):
        yield case(kind, "x", constant)
        yield case(kind, constant, "x")
    for power in (2, 3):
        yield case("Pow", "x", numpy.array(power, numpy.float32))
    for kernel, group in ((1, 1), (3, 1), (3, 4)):
        weights, pads = floats(4, 4 // group, kernel, kernel), [kernel // 2] * 4
        yield case("Conv", "x", weights, floats(4), kernel_shape=(kernel, kernel), pads=pads, group=group)
        yield case("ConvTranspose", "x", weights, kernel_shape=(kernel, kernel), pads=pads, group=group)
    yield case("BatchNormalization", "x", floats(4), floats(4), floats(4), abs(floats(4)) + 0.5)
    yield case("InstanceNormalization", "x", floats(4), floats(4))
    yield case("LayerNormalization", "x", floats(5), floats(5))
    for kind in ("MaxPool", "AveragePool"):
        yield case(kind, "x", kernel_shape=(3, 3), pads=(1, 1, 1, 1))
    yield case("MatMul", "x", floats(5, 5))
    yield case("Softmax", "x")
    yield case("Reshape", "x", whole(0, 4, 6, 5))
    yield case("Clip", "x", numpy.float32(-0.4), numpy.float32(0.7))


def convolutions():
    for kernel, strides, pads, dilations, group in itertools.product(
        ((1, 1), (3, 3), (3, 2), (4, 4)), ((1, 1), (2, 1), (2, 2)), ((0, 0, 0, 0), (1, 1, 1, 1), (1, 0, 2, 1)),
        ((1, 1), (2, 1)), (1, 2, 4)
    ):  # fmt: skip
        if (kernel[0] - 1) * dilations[0] >= 6 + pads[0] + pads[2] or kernel[1] > 5 + pads[1] + pads[3]:
            continue
        options = {"kernel_shape": kernel, "strides": strides, "pads": pads, "dilations": dilations, "group": group}
        yield case("Conv", "x", floats(8, 4 // group, *kernel), floats(8), **options)
        if dilations == (1, 1):
            yield case("ConvTranspose", "x", floats(4, 2, *kernel), floats(2 * group), **options)
    for auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        for strides in ((1, 1), (2, 2)):
            yield case("Conv", "x", floats(8, 4, 3, 3), auto_pad=auto, strides=strides, kernel_shape=(3, 3))
            yield case("ConvTranspose", "x", floats(4, 2, 3, 3), auto_pad=auto, strides=strides, kernel_shape=(3, 3))
            yield case("MaxPool", "x", auto_pad=auto, strides=strides, kernel_shape=(3, 2))
            yield case("AveragePool", "x", auto_pad=auto, strides=strides, kernel_shape=(3, 2))
    yield case("Conv", "x", floats(8, 4, 3), shape=(4, 9), kernel_shape=(3,), pads=(1, 1))
    yield case("Conv", "x", floats(8, 4, 3), floats(8), shape=(4, 9), kernel_shape=(3,), strides=(2,))
    # Filters of one channel each, and all of them on planes of few places.
    for shape, taps, strides, pads, gap, group in itertools.product(
        ((4, 6, 5), (4, 1, 1), (4, 1, 5), (4, 6, 1), (4, 2, 3)), ((3, 3), (5, 5), (3, 1)), ((1, 1), (2, 2)),
        ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (0, 1, 2, 1)), (1, 2), (1, 2, 4)
    ):  # fmt: skip
        if any(shape[1 + i] + pads[i] + pads[2 + i] <= gap * (taps[i] - 1) for i in (0, 1)):
            continue
        options = {"kernel_shape": taps, "strides": strides, "pads": pads, "dilations": (gap, gap), "group": group}
        yield case("Conv", "x", floats(4, 4 // group, *taps), floats(4), shape=shape, **options)
    for auto, size in itertools.product(("NOTSET", "SAME_UPPER", "SAME_LOWER"), ((12, 10), (11, 9), (13, 11), (12, 9))):
        options = {"auto_pad": auto, "output_shape": size, "strides": (2, 2), "kernel_shape": (3, 3)}
        yield case("ConvTranspose", "x", floats(4, 3, 3, 3), floats(3), **options)
    yield case("ConvTranspose", "x", floats(4, 3, 2, 2), strides=(2, 2), output_shape=(1, 3, 12, 10), kernel_shape=(2, 2))
    for added in ((1, 0), (1, 1)):
        yield case("ConvTranspose", "x", floats(4, 3, 3, 3), strides=(2, 2), output_padding=added, kernel_shape=(3, 3))


def pools():
    for kind, kernel, strides, pads, ceil in itertools.product(
        ("MaxPool", "AveragePool"), ((2, 2), (3, 3), (3, 2)), ((1, 1), (2, 2), (3, 1)),
        ((0, 0, 0, 0), (1, 1, 1, 1), (1, 0, 0, 1)), (0, 1)
    ):  # fmt: skip
        options = {"kernel_shape": kernel, "strides": strides, "pads": pads, "ceil_mode": ceil}
        yield case(kind, "x", **options)
        if kind == "AveragePool":
            yield case(kind, "x", count_include_pad=1, **options)
    for kind, shape, pads in itertools.product(
        ("MaxPool", "AveragePool", "ConvTranspose"), ((4, 1, 1), (4, 1, 5), (4, 6, 1), (4, 2, 3)), ((1, 1, 1, 1), (0, 1, 2, 1))
    ):
        if min(shape[1] + pads[0] + pads[2], shape[2] + pads[1] + pads[3]) >= 3:
            weights = [floats(4, 2, 3, 3)] if kind == "ConvTranspose" else []
            yield case(kind, "x", *weights, shape=shape, kernel_shape=(3, 3), strides=(2, 2), pads=pads)
    yield case("MaxPool", "x", kernel_shape=(2, 2), dilations=(2, 2))
    yield case("AveragePool", "x", kernel_shape=(2, 2), dilations=(2, 1), opset=19)
    yield case("MaxPool", "x", shape=(4, 9), kernel_shape=(3,), strides=(2,))
    yield case("AveragePool", "x", shape=(4, 9), kernel_shape=(3,), strides=(2,), pads=(1, 1))
    for kernel, strides, pads in (((2, 2), (2, 2), (0, 0, 0, 0)), ((3, 3), (1, 2), (1, 1, 1, 1))):
        yield case("MaxPool", "x", kernel_shape=kernel, strides=strides, pads=pads, outputs=2, closed=True)
    yield case("MaxPool", "x", shape=(4, 9), kernel_shape=(3,), strides=(2,), outputs=2, closed=True)
    for kind in ("GlobalAveragePool", "GlobalMaxPool"):
        yield case(kind, "x")
        yield case(kind, "x", shape=(4, 9))


def norms():
    scale, shift, mean, variance = floats(4), floats(4), floats(4), abs(floats(4)) + 0.5
    for epsilon in (1e-5, 0.1):
        yield case("BatchNormalization", "x", scale, shift, mean, variance, epsilon=epsilon)
        yield case("BatchNormalization", "x", scale, shift, mean, variance, shape=(4, 9), epsilon=epsilon)
        yield case("InstanceNormalization", "x", scale, shift, epsilon=epsilon)
        yield case("InstanceNormalization", "x", scale, shift, shape=(4, 9), epsilon=epsilon)
        yield case("GroupNormalization", "x", floats(4), floats(4), num_groups=2, opset=21, epsilon=epsilon)
        yield case("LayerNormalization", "x", floats(5), floats(5), epsilon=epsilon)
        yield case("LayerNormalization", "x", floats(6, 5), axis=2, epsilon=epsilon)
    yield case("BatchNormalization", "x", scale, shift, mean, variance, shape=(4,))
    for size in (1, 3):
        yield case("LRN", "x", size=size, alpha=0.5, beta=0.6, bias=1.5)
    for axis in (1, 2, -1):
        yield case("LpNormalization", "x", axis=axis)
        yield case("MeanVarianceNormalization", "x", axes=(2, 3))
        yield case("MeanVarianceNormalization", "x", axes=(0, 2, 3), closed=True)
        for kind in ("Softmax", "LogSoftmax", "Hardmax"):
            for opset in (11, 17):
                yield case(kind, "x", axis=axis, opset=opset)
                yield case(kind, "x", axis=axis, shape=(6, 4), opset=opset)
    yield case("Softmax", "x", opset=11)
    yield case("Softmax", "x")


def functions():
    for kind in (
        "Abs Atan Ceil Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu Mish Neg Relu Round Selu Sigmoid Sign "
        "Sin Sinh Softplus Softsign Tan Tanh ThresholdedRelu Celu Identity Asinh Dropout Gelu"
    ).split():
        yield case(kind, "x", opset=20 if kind == "Gelu" else 18)
    yield case("Gelu", "x", approximate="tanh", opset=20)
    yield case("Elu", "x", alpha=0.4)
    yield case("Celu", "x", alpha=0.4)
    yield case("Selu", "x", alpha=1.2, gamma=0.7)
    yield case("LeakyRelu", "x", alpha=0.3)
    yield case("HardSigmoid", "x", alpha=0.4, beta=0.3)
    yield case("ThresholdedRelu", "x", alpha=0.3)
    yield case("Shrink", "x", lambd=0.3, bias=0.1)
    for slope in (floats(4, 1, 1), floats(1), floats(1, 4, 1, 1), floats(4, 6, 5), floats(5)):
        yield case("PRelu", "x", slope)
    low, high = numpy.float32(-0.4), numpy.float32(0.7)
    for bounds in ((low, high), (low,), ("", high)):
        yield case("Clip", "x", *[numpy.array(each) if each != "" else "" for each in bounds])
    yield case("Clip", "x", min=-0.4, max=0.7, opset=6)
    yield case("Cast", "x", to=TensorProto.FLOAT)
    yield case("CastLike", "x", numpy.array([1], numpy.float32))
    yield case("CastLike", "x", whole(1))
    yield case("IsNaN", "x")


def arithmetic():
    shapes = ((), (1,), (5,), (6, 1), (6, 5), (4, 1, 1), (4, 6, 5), (1, 4, 1, 1), (1, 4, 6, 5), (1, 1, 6, 5), (1, 1, 1, 5))
    for kind, shape in itertools.product(("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min"), shapes):
        constant = abs(floats(*shape)) + 0.5 if kind in ("Div", "Pow") else floats(*shape)
        constant = numpy.round(constant) + 1 if kind == "Pow" else constant
        yield case(kind, "x", numpy.asarray(constant, numpy.float32))
        if kind != "Pow":
            yield case(kind, numpy.asarray(constant, numpy.float32), "x")
    for kind, constant in itertools.product(("Add", "Mul", "Sub"), ((4,), (6, 4), (1, 6, 4), (6, 1), (1, 1, 4))):
        yield case(kind, "x", floats(*constant), shape=(6, 4))
        yield case(kind, floats(*constant), "x", shape=(6, 4))
    for kind in ("Add", "Mul", "Sub", "Div", "Max", "Min"):
        yield case(kind, "x", "x")
    for kind in ("Sum", "Mean", "Max", "Min"):
        yield case(kind, "x", floats(4, 6, 5), "x")
    for kind in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"):
        yield case(kind, "x", numpy.array(0.1, numpy.float32))


def products():
    yield case("Gemm", "x", floats(7, 5), floats(7), transB=1, shape=(5,))
    yield case("Gemm", "x", floats(5, 7), shape=(5,), alpha=0.5)
    yield case("Gemm", "x", floats(5, 7), floats(7), shape=(5,), alpha=0.5, beta=2.0)
    yield case("Gemm", "x", floats(5, 7), floats(1, 7), shape=(5,))
    yield case("Gemm", "x", floats(5, 7), numpy.array(0.5, numpy.float32), shape=(5,))
    for shape, other in (((5,), (5, 7)), ((6, 5), (5, 7)), ((4, 6, 5), (5, 7)), ((4, 6, 5), (4, 5, 7)), ((6, 5), (5,))):
        yield case("MatMul", "x", floats(*other), shape=shape)
    for other, shape in (((7, 6), (6, 5)), ((4, 7, 6), (4, 6, 5)), ((7, 6), (4, 6, 5))):
        yield case("MatMul", floats(*other), "x", shape=shape)
    for equation, other in (("bnc,dc->bnd", (3, 4)), ("bnc,ncd->bnd", (6, 4, 3)), ("bnc,dc->bdn", (3, 4))):
        yield case("Einsum", "x", floats(*other), equation=equation, shape=(6, 4))


def arranging():
    for order in itertools.permutations(range(1, 4)):
        yield case("Transpose", "x", perm=(0, *order))
    for order in ((1, 0, 2, 3), (3, 2, 1, 0)):
        yield case("Transpose", "x", perm=order)
    yield case("Transpose", "x", shape=(6, 4))
    for target in ((0, -1), (0, 4, -1), (-1, 5), (0, 0, 5, 6), (-1,), (0, 2, 2, 6, 5), (-1, 4, 30)):
        yield case("Reshape", "x", whole(*target))
    for axis in (0, 1, 2, 3, -1):
        yield case("Flatten", "x", axis=axis)
    for axes in ((1,), (1, 3), (-1,), (0,)):
        shape = {(1,): (1, 6, 5), (1, 3): (1, 6, 1), (-1,): (4, 6, 1), (0,): (4, 6, 5)}[axes]
        if axes != (0,):
            yield case("Squeeze", "x", whole(*axes), shape=shape)
            yield case("Squeeze", "x", axes=axes, shape=shape, opset=11)
        yield case("Unsqueeze", "x", whole(*axes), shape=(6, 4))
        yield case("Unsqueeze", "x", axes=axes, shape=(6, 4), opset=11)
    for axis in (1, 2, 3, -1, -3):
        yield case("Concat", "x", "x", axis=axis)
        yield case("Split", "x", axis=axis, outputs=2, shape=(4, 6, 4))
        yield case("Split", "x", whole(1, 3), axis=axis, outputs=2, shape=(4, 4, 4))
        yield case("Gather", "x", whole(2, 0), axis=axis)
        yield case("Gather", "x", numpy.array(1), axis=axis)
        yield case("Gather", "x", numpy.array(-1), axis=axis)
    for begin, end, axes, steps in (
        ((1,), (3,), (1,), (1,)), ((0,), (9999,), (2,), (2,)), ((-3,), (-1,), (3,), (1,)), ((-1,), (-9999,), (3,), (-1,)),
        ((1, 1), (3, 5), (2, 3), (1, 2)), ((0, -2), (2, 9999), (1, -1), (1, 1)), ((5,), (0,), (2,), (-2,)),
    ):  # fmt: skip
        yield case("Slice", "x", whole(*begin), whole(*end), whole(*axes), whole(*steps))
    yield case("Slice", "x", starts=(1, 2), ends=(3, 5), axes=(1, 2), opset=9)
    for repeats in ((1, 2, 1, 1), (1, 1, 2, 3)):
        yield case("Tile", "x", whole(*repeats))
    yield case("Expand", "x", whole(1, 4, 6, 5), shape=(1, 6, 5))
    yield case("EyeLike", "x", k=1, shape=(5,), closed=True)
    yield case("EyeLike", "x", shape=(5,), dtype=TensorProto.INT64, closed=True)
    for kind in ("DepthToSpace", "SpaceToDepth"):
        yield case(kind, "x", blocksize=2, shape=(4, 6, 4))
    yield case("DepthToSpace", "x", blocksize=2, mode="CRD", shape=(8, 3, 5))
    for mode in ("constant", "reflect", "edge"):
        for pads in ((0, 0, 1, 2, 0, 0, 2, 1), (0, 0, 0, 1, 0, 0, 0, 0), (0, 1, 0, 0, 0, 2, 0, 0)):
            yield case("Pad", "x", whole(*pads), mode=mode)
    yield case("Pad", "x", whole(0, 0, 1, 1, 0, 0, 1, 1), numpy.array(0.7, numpy.float32))
    yield case("Pad", "x", pads=(0, 0, 1, 2, 0, 0, 2, 1), value=0.3, opset=9)
    yield case("Pad", "x", whole(0, 0, -1, -1, 0, 0, 0, -1))


def resizes():
    for mode, way, nearest, factors in itertools.product(
        ("nearest", "linear", "cubic"), ("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"),
        ("floor", "round_prefer_floor", "ceil", "round_prefer_ceil"), ((2, 2), (3, 1.5), (0.5, 0.5)),
    ):  # fmt: skip
        if mode != "nearest" and nearest != "floor":
            continue
        options = {"mode": mode, "coordinate_transformation_mode": way, "nearest_mode": nearest}
        yield case("Resize", "x", "", numpy.array((1, 1, *factors), numpy.float32), **options)
        sizes = [int(size * factor) for size, factor in zip((6, 5), factors)]
        yield case("Resize", "x", "", "", whole(1, 4, *sizes), closed=True, **options)
    for mode, policy, axes in itertools.product(
        ("nearest", "linear", "cubic"), ("stretch", "not_larger", "not_smaller"), ((2, 3), (3, 2), (3, 1, 2))
    ):
        sizes = whole(*(9, 13, 10)[: len(axes)])
        options = {"mode": mode, "axes": axes, "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        yield case("Resize", "x", "", "", sizes, opset=18, keep_aspect_ratio_policy=policy, **options)
        if policy == "stretch":
            scales = numpy.array((1.5, 2, 3)[: len(axes)], numpy.float32)
            yield case("Resize", "x", "", scales, opset=18, **options)
    for mode, outside in itertools.product(("nearest", "linear", "cubic"), (0.0, 0.5)):
        part = numpy.array([0, 0, 0.1, -0.2, 1, 1, 0.9, 1.2], numpy.float32)
        options = {"mode": mode, "extrapolation_value": outside, "coordinate_transformation_mode": "tf_crop_and_resize"}
        yield case("Resize", "x", part, "", whole(1, 4, 4, 10), closed=True, **options)
    yield case("Resize", "x", "", numpy.array((1, 1, 1.5, 2), numpy.float32), mode="cubic", exclude_outside=1)
    for shape in ((4, 6), (4, 6, 5, 3)):
        for mode in ("nearest", "linear"):
            scales = numpy.array((1, 1, *(2.0 for _ in shape[1:])), numpy.float32)
            yield case("Resize", "x", "", scales, shape=shape, mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield case("Resize", "x", numpy.array((1, 1, 2, 2), numpy.float32), opset=10, mode="nearest")
    for mode in ("nearest", "linear"):
        yield case("Upsample", "x", numpy.array((1, 1, 2, 3), numpy.float32), opset=9, mode=mode)


def reductions():
    kinds = "ReduceMean ReduceSum ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceLogSumExp ReduceSumSquare ReduceProd".split()
    for kind, axes, keep in itertools.product(kinds, ((1,), (3,), (2, 3), (1, 2, 3), (-2,)), (0, 1)):
        if kind == "ReduceSum":
            yield case(kind, "x", whole(*axes), keepdims=keep)
        else:
            yield case(kind, "x", axes=axes, keepdims=keep)
    for kind, axis, keep in itertools.product(("ArgMax", "ArgMin"), (1, 2, -1), (0, 1)):
        yield case(kind, "x", axis=axis, keepdims=keep)
    for options in ({}, {"exclusive": 1}, {"reverse": 1}):
        yield case("CumSum", "x", numpy.array(2), **options)
    for largest in (0, 1):
        yield case("TopK", "x", whole(3), axis=-1, largest=largest, outputs=2)


def cases():
    rooms = (
        convolutions, pools, norms, functions, arithmetic, products, arranging, resizes, reductions,
    )  # fmt: skip
    return [each for room in rooms for each in room()]
