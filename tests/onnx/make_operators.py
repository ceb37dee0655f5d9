#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes fixtures/operators.onnx: nodes over constants, and what ONNX Runtime makes of each; and the
first node of each type into corpus/operator_TYPE, for the fuzzer.

    python3 make_operators.py

Needs numpy, onnx and onnxruntime. A value `x` that a node gives stands in the file once more, as
the constant `expected/x`.
"""

import pathlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

rng = numpy.random.default_rng(1)
constants, nodes = {}, []


def add(kind, *inputs, outputs=1, **attributes):
    names = []
    for value in inputs:
        name = f"{kind}_{len(nodes)}_{len(names)}" if value is not None else ""
        if value is not None:
            constants[name] = numpy.asarray(value)
        names.append(name)
    made = [f"y{len(nodes)}_{i}" for i in range(outputs)]
    nodes.append(helper.make_node(kind, names, made, name=f"{kind}_{len(nodes)}", **attributes))


def floats(*dims, scale=2.0):
    return (rng.standard_normal(dims) * scale).astype(numpy.float32)


def integers(*values):
    return numpy.array(values, numpy.int64)


def functions():
    for kind in (
        "Abs Atan Asinh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu Mish "
        "Neg Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Tan Tanh "
        "ThresholdedRelu Gelu Reciprocal"
    ).split():
        add(kind, floats(3, 5))
    for kind in ("Acos", "Asin", "Atanh"):
        add(kind, floats(3, 5, scale=0.3).clip(-0.9, 0.9))
    for kind in ("Log", "Sqrt", "Acosh"):
        add(kind, abs(floats(3, 5)) + 1)
    add("Gelu", floats(3, 5), approximate="tanh")
    add("Elu", floats(3, 5), alpha=0.5)
    add("LeakyRelu", floats(3, 5), alpha=0.3)
    add("Clip", floats(3, 5), numpy.float32(-1), numpy.float32(0.5))
    add("Clip", floats(3, 5), None, numpy.float32(0.5))
    add("PRelu", floats(2, 3, 4), floats(3, 1))
    add("IsNaN", numpy.array([1, numpy.nan], numpy.float32))
    add("IsInf", numpy.array([1, numpy.inf, -numpy.inf], numpy.float32), detect_negative=0)
    add("Xor", numpy.array([True, False]), numpy.array([True, True]))
    for kind in ("Sum", "Mean", "Max", "Min"):
        add(kind, floats(2, 3), floats(3), floats(2, 1))


def reductions():
    for kind in "L1 L2 LogSumExp Max Mean Min Prod Sum SumSquare".split():
        add(f"Reduce{kind}", floats(2, 3, 4), integers(1))
        add(f"Reduce{kind}", floats(2, 3, 4), integers(0, -1), keepdims=0)
        add(f"Reduce{kind}", floats(2, 3))
    add("ReduceLogSum", abs(floats(2, 3, 4)), integers(1))
    add("ReduceMax", rng.integers(-5, 5, (3, 4)), integers(1), keepdims=0)
    for kind in ("ArgMax", "ArgMin"):
        add(kind, floats(2, 3, 4), axis=1)
        add(kind, rng.integers(0, 3, (2, 5)).astype(numpy.float32), axis=-1, keepdims=0)
        add(kind, rng.integers(0, 3, (2, 5)).astype(numpy.float32), axis=-1, select_last_index=1)


def norms():
    add("LayerNormalization", floats(2, 3, 8), floats(8), floats(8))
    add("LayerNormalization", floats(2, 3, 8), floats(3, 8), axis=1, epsilon=0.01)
    add("InstanceNormalization", floats(2, 3, 4, 4), floats(3), floats(3))
    add("GroupNormalization", floats(2, 6, 4), floats(6), floats(6), num_groups=3)
    add("LpNormalization", floats(2, 3, 4), axis=1)
    add("LpNormalization", floats(2, 3, 4), axis=-1, p=1)
    for kind in ("Softmax", "LogSoftmax"):
        add(kind, floats(2, 3, 4))
        add(kind, floats(2, 3, 4), axis=1)


def products():
    add("MatMul", floats(3, 4), floats(4, 5))
    add("MatMul", floats(4), floats(4))
    add("MatMul", floats(2, 1, 3, 4), floats(5, 4, 2))
    add("MatMul", floats(4), floats(2, 4, 3))
    add("MatMul", floats(2, 3, 4), floats(4))
    add("Gemm", floats(4, 3), floats(5, 4), floats(5), transA=1, transB=1, alpha=0.5, beta=2.0)
    for equation, *dims in (
        ("bqc,bchw->bqhw", (2, 3, 4), (2, 4, 5, 6)),
        ("bhwc,hkc->bhwk", (2, 3, 4, 5), (3, 6, 5)),
        ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
        ("ij->ji", (3, 4)),
        ("ijk->j", (3, 4, 5)),
        ("i,j->ij", (3,), (4,)),
        ("ij,kj,kl->il", (2, 3), (4, 3), (4, 5)),
        ("bij,bij->b", (2, 3, 4), (2, 3, 4)),
    ):
        add("Einsum", *(floats(*each) for each in dims), equation=equation)


def choices():
    add("GatherElements", floats(3, 4), rng.integers(-3, 3, (2, 4)), axis=0)
    add("GatherElements", floats(3, 4), rng.integers(0, 4, (3, 2)), axis=1)
    add("GatherND", floats(3, 4, 5), rng.integers(0, 3, (2, 2)))
    add("GatherND", floats(3, 4, 5), rng.integers(0, 4, (3, 1)), batch_dims=1)
    add("ScatterElements", floats(3, 4), integers(0, 2, 1, 3).reshape(2, 2), floats(2, 2), axis=1)
    add("ScatterND", floats(4, 3), integers(3, 1).reshape(2, 1), floats(2, 3))
    add("ScatterND", floats(4, 3), integers(3, 1).reshape(1, 2), floats(1))
    add("TopK", floats(3, 6), integers(2), outputs=2)
    add("TopK", floats(3, 6, 2), integers(3), outputs=2, axis=1, largest=0)
    add("OneHot", integers(0, 2, -1), integers(4), numpy.array([0, 5], numpy.float32))
    add("OneHot", integers(0, 2), numpy.int64(3), numpy.array([0, 1], numpy.float32), axis=0)
    add("CumSum", floats(3, 4), numpy.int64(1))
    add("CumSum", floats(3, 4), numpy.int64(0), exclusive=1, reverse=1)
    add("Trilu", floats(2, 4, 5))
    add("Trilu", floats(4, 4), numpy.int64(1), upper=0)


def planes():
    add("Pad", floats(2, 3), integers(0, 1, 2, 0), numpy.float32(7))
    add("Pad", floats(2, 3), integers(0, -1, 1, 0))
    add("Pad", floats(1, 2, 4, 5), integers(0, 0, 1, 2, 0, 0, 3, 1), mode="reflect")
    add("Pad", floats(1, 2, 4, 5), integers(0, 0, 1, 2, 0, 0, 3, 1), mode="edge")
    add("Pad", floats(1, 2, 4, 5), integers(1, 2), numpy.float32(0), integers(3), mode="constant")
    add("Pad", floats(2, 4), integers(0, 1, 0, 3), mode="wrap")
    for mode in ("linear", "cubic"):
        for size in ((3, 4), (11, 9), (5, 17)):
            sizes = integers(1, 2, *size)
            add(
                "Resize", floats(1, 2, 8, 9), None, None, sizes, mode=mode, antialias=1, cubic_coeff_a=-0.5
            )
    sizes = integers(1, 2, 3, 4)
    add("Resize", floats(1, 2, 8, 9), None, None, sizes, mode="linear", antialias=1, exclude_outside=1)
    add("DepthToSpace", floats(2, 8, 3, 2), blocksize=2)
    add("DepthToSpace", floats(2, 8, 3, 2), blocksize=2, mode="CRD")
    add("SpaceToDepth", floats(2, 3, 4, 6), blocksize=2)
    grid = floats(2, 5, 3, 2, scale=0.8)
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            add("GridSample", floats(2, 3, 4, 6), grid, mode=mode, padding_mode=padding)
            add(
                "GridSample", floats(2, 3, 4, 6), grid, mode=mode, padding_mode=padding, align_corners=1
            )
    add("Col2Im", floats(2, 12, 6), integers(3, 4), integers(2, 2))
    add("Col2Im", floats(1, 18, 12), integers(6, 5), integers(3, 3), strides=[2, 2], pads=[1, 1, 2, 2])
    add("Col2Im", floats(1, 6, 6), integers(4, 6), integers(2, 3), dilations=[2, 2], pads=[0, 0, 0, 1])

    for kind, counts in (("MaxPool", {}), ("AveragePool", {}), ("AveragePool", {"count_include_pad": 1})):
        image = floats(2, 3, 7, 6)
        for pads in ((0, 0, 0, 0), (1, 1, 1, 1), (1, 0, 0, 1)):
            add(kind, image, kernel_shape=[3, 2], strides=[2, 3], pads=pads, ceil_mode=1, **counts)
            add(kind, image, kernel_shape=[3, 3], strides=[1, 2], pads=pads, **counts)
        for auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            add(kind, image, kernel_shape=[3, 2], strides=[2, 2], auto_pad=auto, **counts)
        add(kind, floats(2, 3, 9), kernel_shape=[3], strides=[2], pads=[1, 1], ceil_mode=1, **counts)
    add("MaxPool", image, kernel_shape=[2, 2], dilations=[2, 1])


def windows():
    image = floats(2, 3, 7, 6)
    add("MaxPool", image, outputs=2, kernel_shape=[2, 2], strides=[2, 2])
    add("MaxPool", image.round(), outputs=2, kernel_shape=[3, 3], strides=[1, 2], pads=[1, 1, 1, 1])
    for policy in ("stretch", "not_larger", "not_smaller"):
        for axes, sizes in (((3, 2), (5, 11)), ((2, 3), (9, 10))):
            add(
                "Resize", image, None, None, integers(*sizes), mode="linear", axes=axes,
                keep_aspect_ratio_policy=policy,
            )  # fmt: skip
    part = numpy.array([0, 0, 0.1, -0.2, 1, 1, 0.9, 1.2], numpy.float32)
    for mode in ("nearest", "linear", "cubic"):
        add(
            "Resize", image, part, None, integers(2, 3, 5, 10), mode=mode, extrapolation_value=0.5,
            coordinate_transformation_mode="tf_crop_and_resize",
        )  # fmt: skip


def others():
    for axis in (0, 1, -1):
        add("Hardmax", floats(2, 3, 4).round(), axis=axis)
    add("MeanVarianceNormalization", floats(2, 3, 4, 5))
    add("MeanVarianceNormalization", floats(2, 3, 4, 5), axes=[1, 3])
    add("CastLike", floats(2, 3), integers(1))
    add("CastLike", integers(3, -4), floats(1))
    add("EyeLike", floats(3, 5), k=1)
    add("EyeLike", floats(4, 3), k=-2, dtype=TensorProto.INT64)


def main():
    for room in (functions, reductions, norms, products, choices, planes, windows, others):
        room()
    initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    kept = [*initializers]
    seeds = {}
    for node in nodes:
        inputs = {name for name in node.input if name}
        outputs = [helper.make_value_info(name, onnx.TypeProto()) for name in node.output]
        graph = helper.make_graph(
            [node], "one", [], outputs, [each for each in initializers if each.name in inputs]
        )
        opset = [helper.make_opsetid("", 21)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=10)
        seeds.setdefault(node.op_type, model)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        for name, value in zip(node.output, session.run(None, {})):
            kept.append(numpy_helper.from_array(value, "expected/" + name))
    use = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "operators", [], [use], kept)
    opset = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=10)
    corpus = pathlib.Path(__file__).parent / "corpus"
    for kind, seed in seeds.items():
        # A node that gives an output is not folded.
        use = helper.make_node("Use", [*seed.graph.node[0].output], ["used"], domain="mpm")
        seed.graph.node.append(use)
        del seed.graph.output[:]
        seed.graph.output.append(helper.make_value_info("used", onnx.TypeProto()))
        seed.opset_import.append(helper.make_opsetid("mpm", 1))
        (corpus / f"operator_{kind}").write_bytes(seed.SerializeToString())
    path = pathlib.Path(__file__).parent / "fixtures" / "operators.onnx"
    onnx.save(model, str(path))
    print(f"{path.name}: {len(nodes)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
