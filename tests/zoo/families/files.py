# SPDX-License-Identifier: Apache-2.0
"""Files that no exporter of PyTorch writes: by hand, as those of TensorFlow and Paddle are spelled, old ones, with functions,
branches and loops, with inputs and outputs of other types."""

import numpy
from onnx import TensorProto, helper, numpy_helper, parser

from .family import written

chance = numpy.random.default_rng(3)


def weights(*dims):
    return (chance.standard_normal(dims) * 1.2 / max(1, numpy.prod(dims[1:])) ** 0.5).astype(numpy.float32)


def model(text, opset=17, ir=8, producer="", functions="", domains=(), **constants):
    """ONNX in ONNX's own notation, with constants beside it."""
    imports = ", ".join([f'"" : {opset}', *(f'"{domain}" : 1' for domain in domains)])
    head = f'<ir_version: {ir}, opset_import: [{imports}], producer_name: "{producer}">'
    made = parser.parse_model(f"{head} {text} {functions}")
    for name, values in constants.items():
        made.graph.initializer.append(numpy_helper.from_array(numpy.asarray(values), name))
    return made


def whole(*values):
    return numpy.array(values, numpy.int64)


CONV = "y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(image, w)\n"
IMAGE = "float[N,3,64,64] image"


def around(body, outputs, inputs=IMAGE, **options):
    """Nodes behind a convolution `y` [N, 8, 32, 32]."""
    options.setdefault("w", weights(8, 3, 3, 3))
    return lambda: model(f"g ({inputs}) => ({outputs}) {{ {CONV} {body} }}", **options)


def tensorflow(mode, way):
    text = f"""g (float[N,64,64,3] image) => (float[N,64,64,5] scores) {{
      a = Transpose<perm=[0,3,1,2]>(image)
      b = Conv<auto_pad="SAME_UPPER", kernel_shape=[3,3], strides=[2,2], dilations=[1,1], group=1>(a, w0)
      c = Clip(b, zero, six)
      d = Conv<auto_pad="SAME_UPPER", kernel_shape=[3,3], strides=[2,2], dilations=[1,1], group=8>(c, w1, b1)
      e = BatchNormalization<epsilon=0.001>(d, s, b1, m, v)
      f = MaxPool<auto_pad="SAME_UPPER", kernel_shape=[3,3], strides=[2,2]>(e)
      h = ReduceMean<axes=[2,3], keepdims=1>(f)
      i = Sigmoid(h)
      j = Mul(f, i)
      k = Conv<kernel_shape=[1,1]>(j, w2)
      l = Resize<mode="{mode}", coordinate_transformation_mode="{way}", nearest_mode="floor">(k, none, scales)
      n = Transpose<perm=[0,2,3,1]>(l)
      scores = Softmax<axis=-1>(n)
    }}"""
    eight = [numpy.ones(8, numpy.float32), weights(8), weights(8) * 0.1, numpy.full(8, 0.7, numpy.float32)]
    return model(
        text, 13, 7, "tf2onnx", w0=weights(8, 3, 3, 3), w1=weights(8, 1, 3, 3), w2=weights(5, 8, 1, 1), s=eight[0],
        b1=eight[1], m=eight[2], v=eight[3], zero=numpy.float32(0), six=numpy.float32(6),
        none=numpy.zeros(0, numpy.float32), scales=numpy.array([1, 1, 8, 8], numpy.float32),
    )  # fmt: skip


def tensorflow_flat():
    text = """g (float[unk__1,32,32,3] image) => (float[unk__1,10] scores) {
      a = Transpose<perm=[0,3,1,2]>(image)
      p = Pad(a, pads)
      b = Conv<kernel_shape=[3,3], strides=[2,2]>(p, w0)
      c = LeakyRelu<alpha=0.2>(b)
      t = Transpose<perm=[0,2,3,1]>(c)
      sh = Shape(t)
      ca = Cast<to=6>(sh)
      ss = Slice(ca, zero, one, zero)
      rest = Concat<axis=0>(ss, minus)
      r64 = Cast<to=7>(rest)
      d = Reshape(t, r64)
      e = MatMul(d, w1)
      f = Add(e, b1)
      scores = Identity(f)
    }"""
    return model(
        text, 12, 7, "tf2onnx", w0=weights(4, 3, 3, 3), w1=weights(10, 1024).T.copy(), b1=weights(10), zero=whole(0), one=whole(1),
        minus=numpy.array([1024], numpy.int32), pads=whole(0, 0, 0, 0, 0, 0, 1, 1),
    )  # fmt: skip


def paddle():
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["DynamicDimension.0", 3, 64, 64])
    y = helper.make_tensor_value_info("save_infer_model/scale_0.tmp_1", TensorProto.FLOAT, ["DynamicDimension.0", 5, 64, 64])
    constants = [
        numpy_helper.from_array(weights(16, 3, 3, 3), "conv2d_0.w_0"),
        numpy_helper.from_array(weights(16, 1, 3, 3), "depthwise@conv:w 0"),
        numpy_helper.from_array(weights(16, 16, 1, 1), "se_w"),
        numpy_helper.from_array(weights(5, 16, 1, 1), "last_w"),
        numpy_helper.from_array(numpy.array([1, 1, 4, 4], numpy.float32), "p2o.scales"),
        numpy_helper.from_array(whole(1, -1, 1, 1), "p2o.shape"),
        numpy_helper.from_array(weights(16), "se_b"),
    ]
    nodes = [
        helper.make_node("Conv", ["x", "conv2d_0.w_0"], ["conv.0"], "p2o.Conv.0", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
        helper.make_node("HardSwish", ["conv.0"], ["hs.0"], "p2o.HardSwish.0"),
        helper.make_node("Conv", ["hs.0", "depthwise@conv:w 0"], ["conv.1"], "p2o.Conv.1", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, group=16),
        helper.make_node("GlobalAveragePool", ["conv.1"], ["pool.0"], "p2o.Pool.0"),
        helper.make_node("Conv", ["pool.0", "se_w"], ["se.0"], "p2o.Conv.2", kernel_shape=[1, 1]),
        helper.make_node("Reshape", ["se_b", "p2o.shape"], ["se_b4"], "p2o.Reshape.0"),
        helper.make_node("Add", ["se.0", "se_b4"], ["se.1"], "p2o.Add.0"),
        helper.make_node("HardSigmoid", ["se.1"], ["gate"], "p2o.HardSigmoid.0", alpha=1 / 6, beta=0.5),
        helper.make_node("Mul", ["conv.1", "gate"], ["gated"], "p2o.Mul.0"),
        helper.make_node("Conv", ["gated", "last_w"], ["out.0"], "p2o.Conv.3", kernel_shape=[1, 1]),
        helper.make_node("Resize", ["out.0", "", "p2o.scales"], [y.name], "p2o.Resize.0", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    ]  # fmt: skip
    graph = helper.make_graph(nodes, "Model from PaddlePaddle.", [x], [y], constants)
    opsets = [helper.make_opsetid("", 14)]
    return helper.make_model(graph, producer_name="PaddlePaddle", ir_version=7, opset_imports=opsets)


def caffe():
    """As caffe2onnx and MXNet wrote in 2018: initialisers are inputs, too, and attributes stand for inputs."""
    names = {"w": weights(8, 3, 3, 3), "s": numpy.ones(8, numpy.float32), "b": weights(8), "m": weights(8) * 0.1,
             "v": numpy.full(8, 0.7, numpy.float32), "slope": abs(weights(8, 1, 1)), "fc": weights(6, 512), "bias": weights(6)}  # fmt: skip
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, each.shape) for name, each in names.items()]
    nodes = [
        helper.make_node("Conv", ["data", "w"], ["1"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, group=1, dilations=[1, 1]),
        helper.make_node("BatchNormalization", ["1", "s", "b", "m", "v"], ["2"], epsilon=1e-5, momentum=0.9, spatial=1),
        helper.make_node("PRelu", ["2", "slope"], ["3"]),
        helper.make_node("Upsample", ["3"], ["4"], mode="nearest", scales=[1.0, 1.0, 2.0, 2.0]),
        helper.make_node("Pad", ["4"], ["5"], mode="constant", pads=[0, 0, 0, 0, 0, 0, 1, 1], value=0.0),
        helper.make_node("MaxPool", ["5"], ["6"], kernel_shape=[2, 2], strides=[8, 8], pads=[0] * 4),
        helper.make_node("Slice", ["6"], ["7"], axes=[2, 3], starts=[0, 0], ends=[8, 8]),
        helper.make_node("Dropout", ["7"], ["8"], ratio=0.4),
        helper.make_node("Flatten", ["8"], ["9"]),
        helper.make_node("Gemm", ["9", "fc", "bias"], ["10"], alpha=1.0, beta=1.0, transA=0, transB=1),
        helper.make_node("Softmax", ["10"], ["prob"]),
    ]  # fmt: skip
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3, 64, 64])
    output = helper.make_tensor_value_info("prob", TensorProto.FLOAT, [1, 6])
    constants = [numpy_helper.from_array(each, name) for name, each in names.items()]
    graph = helper.make_graph(nodes, "", [data, *infos], [output], constants)
    return helper.make_model(graph, ir_version=3, opset_imports=[helper.make_opsetid("", 8)])


def named_oddly():
    made = around(
        "a = Relu(y)\n b = Sigmoid(y)\n c = Add(a, b)\n d = Neg(c)\n f = Transpose<perm=[0,2,3,1]>(d)", "float[N,8,32,32] c, float[N,32,32,8] f"
    )()
    names = {"image": "input image:0", "y": "/конв/out", "a": "a b", "b": "b\\c", "c": "вых#1", "d": "=", "f": "scores;0", "w": "w,eights"}
    for node in made.graph.node:
        node.name = "a name with: " + node.output[0]
        node.input[:] = [names[name] for name in node.input]
        node.output[:] = [names[name] for name in node.output]
    for each in (*made.graph.input, *made.graph.output, *made.graph.initializer):
        each.name = names[each.name]
    return made


def loose_ends():
    """Outputs that are constants, inputs, or read by others; chains of Identity; what nothing reads."""
    made = around(
        "a = Relu(y)\n b = Identity(a)\n c = Identity(b)\n d = Identity(c)\n e = Mul(d, two)\n same = Identity(image)\n"
        "unread = Exp(y)\n anchors = Identity(table)\n f = Add(e, a)",
        "float[N,8,32,32] a, float[N,8,32,32] d, float[N,8,32,32] f, float[N,3,64,64] same, float[4,2] anchors, float[4,2] table, float[N,3,64,64] image",
        two=numpy.float32(2), table=weights(4, 2), unused=weights(3, 3), w=weights(8, 3, 3, 3),
    )()  # fmt: skip
    return made


def with_functions():
    functions = """
    <domain: "local", opset_import: ["" : 17]> Swish2<beta>(x) => (y) {
      b = Constant<value_float: float = @beta>()
      m = Mul(x, b)
      s = Sigmoid(m)
      y = Mul(x, s)
    }
    <domain: "local", opset_import: ["" : 17, "local" : 1]> Block(x, w) => (y, s) {
      c = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(x, w)
      s = local.Swish2<beta=1.5>(c)
      y = Add(x, s)
    }"""
    return around(
        "a, s = local.Block(y, w2)\n b, unread = local.Block(a, w3)\n m = ReduceMean<axes=[2,3], keepdims=0>(b)",
        "float[N,8,32,32] b, float[N,8] m", functions=functions, domains=["local"], w2=weights(8, 8, 3, 3), w3=weights(8, 8, 3, 3),
    )()  # fmt: skip


BRANCH = "r = If(cond) <then_branch = t () => (float[N,8,32,32] p) { p = Relu(y) }, else_branch = e () => (float[N,8,32,32] q) { q = Neg(y) }>"
LOOP = """r = Loop (trips, yes, y) <body = l (int64 i, bool go, float[N,8,32,32] x) => (bool on, float[N,8,32,32] z) {
  on = Identity(go)
  s = Sigmoid(x)
  z = Mul(x, s)
}>"""
LOOP_STACK = """r, all = Loop (trips, yes, y) <body = l (int64 i, bool go, float[N,8,32,32] x) => (bool on, float[N,8,32,32] z, float[N,8,32,32] k) {
  on = Identity(go)
  f = Cast<to=1>(i)
  z = Add(x, f)
  k = Tanh(z)
}>"""
SCAN = """t = Transpose<perm=[2,0,1,3]>(y)
h0 = ReduceMean<axes=[2],keepdims=0>(y)
last, all = Scan<num_scan_inputs=1, body = s (float[N,8,32] h, float[N,8,32] x) => (float[N,8,32] n, float[N,8,32] o) {
  m = Mul(h, half)
  n = Add(m, x)
  o = Tanh(n)
}> (h0, t)"""

FAMILIES = {
    "tensorflow_linear": written(lambda: tensorflow("linear", "half_pixel")),
    "tensorflow_asymmetric": written(lambda: tensorflow("linear", "asymmetric")),
    "tensorflow_nearest": written(lambda: tensorflow("nearest", "asymmetric")),
    "tensorflow_tf_half": written(lambda: tensorflow("nearest", "half_pixel")),
    "tensorflow_flat": written(tensorflow_flat),
    "paddle": written(paddle),
    "caffe": written(caffe),
    "named_oddly": written(named_oddly),
    "loose_ends": written(loose_ends),
    "functions": written(with_functions),
    "branch_of_sizes": written(around(
        "sh = Shape(y)\n n = Gather(sh, two)\n cond = Equal(n, size)\n" + BRANCH,
        "float[N,8,32,32] r", two=numpy.int64(2), size=numpy.int64(32))),
    "branch_of_values": written(around(
        "m = ReduceMax<keepdims=0>(y)\n cond = Greater(m, zero)\n" + BRANCH,
        "float[N,8,32,32] r", zero=numpy.float32(0))),
    "loop_counted": written(around(LOOP, "float[N,8,32,32] r", trips=numpy.int64(3), yes=numpy.bool_(True))),
    "loop_stacked": written(around(LOOP_STACK, "float[N,8,32,32] r, float[3,N,8,32,32] all", trips=numpy.int64(3), yes=numpy.bool_(True))),
    "scan": written(around(SCAN, "float[N,8,32] last, float[32,N,8,32] all", half=numpy.float32(0.5))),
    "sequence": written(around(
        "a = Relu(y)\n b = Neg(y)\n s = SequenceConstruct(a, b)\n s2 = SequenceInsert(s, y)\n one = SequenceAt(s2, first)\n"
        "r = ConcatFromSequence<axis=1>(s2)\n k = SequenceLength(s2)", "float[N,24,32,32] r, float[N,8,32,32] one, int64 k", first=numpy.int64(1))),
    "sequence_split": written(around(
        "s = SplitToSequence<axis=1, keepdims=1>(y, parts)\n a = SequenceAt(s, zero)\n b = SequenceAt(s, minus)\n r = Add(a, b)",
        "float[N,4,32,32] r", parts=numpy.int64(4), zero=numpy.int64(0), minus=numpy.int64(-1))),
    "optional": written(around(
        "o = Optional(y)\n has = OptionalHasElement(o)\n r = OptionalGetElement(o)\n z = Relu(r)", "float[N,8,32,32] z, bool has")),
    "bytes_in": written(lambda: model("""g (uint8[1,64,64,3] bytes) => (uint8[1,64,64] labels, float[1,5] top) {
          f = Cast<to=1>(bytes)
          t = Transpose<perm=[0,3,1,2]>(f)
          d = Div(t, full)
          m = Sub(d, mean)
          s = Div(m, spread)
          r = Resize<mode="linear", coordinate_transformation_mode="half_pixel">(s, , , size)
          c = Conv<kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]>(r, w)
          u = Resize<mode="linear", coordinate_transformation_mode="pytorch_half_pixel">(c, , , back)
          p = Softmax<axis=1>(u)
          a = ArgMax<axis=1, keepdims=0>(p)
          labels = Cast<to=2>(a)
          top = ReduceMax<axes=[2,3], keepdims=0>(p)
        }""", full=numpy.float32(255), mean=numpy.array([0.485, 0.456, 0.406], numpy.float32).reshape(1, 3, 1, 1), spread=numpy.array([0.229, 0.224, 0.225], numpy.float32).reshape(3, 1, 1), size=whole(1, 3, 32, 32), back=whole(1, 5, 64, 64), w=weights(5, 3, 3, 3))),
    "two_images": written(lambda: model("""g (float[N,3,64,64] before, float[N,3,64,64] after) => (float[N,1,64,64] changed, bool[N,1,64,64] mask) {
          a = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(before, w)
          b = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(after, w)
          d = Sub(a, b)
          e = Abs(d)
          changed = ReduceMean<axes=[1]>(e)
          mask = Greater(changed, half)
        }""", w=weights(8, 3, 3, 3), half=numpy.float32(0.5))),
    "with_sizes": written(around(
        "p = GlobalAveragePool(y)\n f = Flatten(p)\n b = Gemm(f, fc)\n v = Reshape(b, shape)\n z = Cast<to=1>(sizes)\n"
        "t = Tile(z, twice)\n u = Unsqueeze(t, one)\n boxes = Mul(v, u)\n s = Sigmoid(v)\n best, place = TopK<axis=1>(s, three)\n labels = Cast<to=6>(place)",
        "float[N,5,4] boxes, float[N,3,4] best, int64[N,3,4] place, int32[N,3,4] labels", inputs=IMAGE + ", int64[N,2] sizes",
        fc=weights(20, 8).T.copy(), shape=whole(-1, 5, 4), twice=whole(1, 2), one=whole(1), three=whole(3))),
    "with_threshold": written(around(
        "s = Sigmoid(y)\n k = Greater(s, threshold)\n r = Where(k, s, zero)", "float[N,8,32,32] r, bool[N,8,32,32] k",
        inputs=IMAGE + ", float threshold", zero=numpy.float32(0))),
    "other_types": written(around(
        "a = ArgMax<axis=1>(y)\n u = Cast<to=2>(a)\n i = Cast<to=6>(a)\n k = Greater(y, zero)\n d = Cast<to=11>(y)\n h = Cast<to=10>(y)\n"
        "n = Not(k)\n dd = Mul(d, d)\n sh = Shape(y)\n su = ReduceSum<keepdims=0>(y)",
        "int64[N,1,32,32] a, uint8[N,1,32,32] u, int32[N,1,32,32] i, bool[N,8,32,32] k, double[N,8,32,32] dd, float16[N,8,32,32] h, bool[N,8,32,32] n, int64[4] sh, float su",
        zero=numpy.float32(0))),
    "suppressed": written(around(
        "p = MaxPool<kernel_shape=[4,4], strides=[8,8]>(y)\n f = Reshape(p, shape)\n t = Transpose<perm=[0,2,1]>(f)\n boxes, s = Split<axis=2>(t, parts)\n"
        "sc = Transpose<perm=[0,2,1]>(s)\n kept = NonMaxSuppression(boxes, sc, most, iou, low)",
        "int64[K,3] kept, float[N,16,4] boxes", shape=whole(0, 8, -1), parts=whole(4, 4), most=whole(3), iou=numpy.float32(0.5), low=numpy.float32(0.1))),
    "unpooled": written(around(
        "p, places = MaxPool<kernel_shape=[2,2], strides=[2,2]>(y)\n z = Relu(p)\n u = MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(z, places)", "float[N,8,32,32] u")),
    "computed_weights": written(lambda: model("""g (float[1,3,16,16] z, float[1,3,64,64] x) => (float[1,1,29,29] scores) {
          a = Conv<kernel_shape=[3,3], strides=[2,2]>(z, w)
          b = Conv<kernel_shape=[3,3], strides=[2,2]>(x, w)
          c = Conv(b, a)
          r = Mul(c, tenth)
          scores = Slice(r, zeros, ends, axes)
        }""", w=weights(8, 3, 3, 3), tenth=numpy.float32(0.1), zeros=whole(0, 0), ends=whole(29, 29), axes=whole(2, 3))),
    "cropped_turned": written(around(
        "t = ConvTranspose<kernel_shape=[4,4], strides=[2,2], pads=[1,1,1,1]>(y, v)\n o = ConvTranspose<kernel_shape=[3,3], strides=[2,2], output_shape=[64,64]>(y, k)\n r = Add(t, o)",
        "float[N,4,64,64] r", v=weights(8, 4, 4, 4), k=weights(8, 4, 3, 3))),
    "turned_same": written(around(
        """t = ConvTranspose<kernel_shape=[3,3], strides=[2,2], auto_pad="SAME_UPPER">(y, k)\n b = Add(t, bias)\n r = Relu(b)""",
        "float[N,4,64,64] r", k=weights(8, 4, 3, 3), bias=weights(1, 4, 1, 1))),
    "no_batch": written(lambda: model("""g (float[3,64,64] image) => (float[8,32,32] r, int64[32,32] l) {
          u = Unsqueeze(image, zero)
          y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(u, w)
          r = Squeeze(y, zero)
          l = ArgMax<axis=0, keepdims=0>(r)
        }""", w=weights(8, 3, 3, 3), zero=whole(0))),
    "no_batch_last": written(lambda: model("""g (float[64,64,3] image) => (float[32,32,8] r) {
          t = Transpose<perm=[2,0,1]>(image)
          u = Unsqueeze(t, zero)
          y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(u, w)
          s = Squeeze(y, zero)
          r = Transpose<perm=[1,2,0]>(s)
        }""", w=weights(8, 3, 3, 3), zero=whole(0))),
    "video": written(lambda: model("""g (float[N,4,3,32,32] clip) => (float[N,8] r, float[N,4,8] each) {
          f = Reshape(clip, flat)
          y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(f, w)
          p = GlobalAveragePool(y)
          each = Reshape(p, back)
          r = ReduceMean<axes=[1], keepdims=0>(each)
        }""", w=weights(8, 3, 3, 3), flat=whole(-1, 3, 32, 32), back=whole(-1, 4, 8))),
    "volume_conv": written(lambda: model("""g (float[1,3,4,32,32] clip) => (float[1,8,2,16,16] r) {
          y = Conv<kernel_shape=[3,3,3], strides=[2,2,2], pads=[1,1,1,1,1,1]>(clip, w)
          r = Relu(y)
        }""", w=weights(8, 3, 3, 3, 3))),
    "grey": written(lambda: model("""g (float[N,1,48,160] image) => (float[40,N,7] r) {
          y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(image, w)
          p = MaxPool<kernel_shape=[24,2], strides=[24,2]>(y)
          s = Squeeze(p, two)
          t = Transpose<perm=[2,0,1]>(s)
          m = MatMul(t, fc)
          r = LogSoftmax<axis=2>(m)
        }""", w=weights(8, 1, 3, 3), two=whole(2), fc=weights(7, 8).T.copy())),
    "resized_by_axes": written(around(
        """a = Resize<mode="linear", axes=[2,3], antialias=1>(y, , , small)\n b = Resize<mode="linear", axes=[3,2], coordinate_transformation_mode="align_corners">(a, , scales)\n
        c = Resize<mode="cubic", keep_aspect_ratio_policy="not_larger", axes=[2,3]>(b, , , large)""",
        "float[N,8,A,B] c", opset=18, small=whole(20, 24), scales=numpy.array([2, 1.5], numpy.float32), large=whole(50, 60))),
    "cropped_resize": written(around(
        """a = Resize<mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=0.5>(y, roi, , size)""",
        "float[1,8,20,20] a", inputs="float[1,3,64,64] image", opset=13, roi=numpy.array([0, 0, 0.1, 0.2, 1, 1, 0.9, 1.2], numpy.float32), size=whole(1, 8, 20, 20))),
    "doubles": written(lambda: model("""g (double[N,3,64,64] image) => (double[N,8,32,32] r) {
          y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(image, w)
          s = Mul(y, y)
          r = Sqrt(s)
        }""", w=weights(8, 3, 3, 3).astype(numpy.float64))),
    "halves": written(lambda: model("""g (float16[N,3,64,64] image) => (float16[N,8,32,32] r) {
          y = Conv<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(image, w)
          s = Mul(y, two)
          r = Relu(s)
        }""", w=weights(8, 3, 3, 3).astype(numpy.float16), two=numpy.float16(2))),
}  # fmt: skip
