# SPDX-License-Identifier: Apache-2.0
"""The Python peers: a process that obeys lines and answers each with a line of JSON.

usage: peer.py onnxruntime|openvino|torch|opencv OPTIONS

    load FILE      the input: float32 as it stands in memory
    run            one forward, timed: milliseconds, CPU milliseconds, live rows
    save PREFIX    writes PREFIX.output and, where the peer merges, PREFIX.map; gives their shapes

OPTIONS are those of Configuration.start, in JSON. A peer is an object with version, load(array), forward(), output(),
map() and rows().
"""

import json
import os
import pathlib
import sys
import time

import numpy


def first_line(error):
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip()


def obey(peer, options, command, argument):
    if command == "load":
        peer.load(numpy.fromfile(argument, numpy.float32).reshape(options["shape"]))
        return {}
    if command == "run":
        cpu, start = time.process_time_ns(), time.perf_counter_ns()
        peer.forward()
        elapsed = time.perf_counter_ns() - start
        cpu = time.process_time_ns() - cpu
        return {"ms": elapsed / 1e6, "cpu_ms": cpu / 1e6, "rows": peer.rows()}
    if command == "save":
        shapes = []
        for name, values in (("output", peer.output()), ("map", peer.map())):
            if values is not None:
                values = numpy.ascontiguousarray(values, numpy.float32)
                values.tofile(f"{argument}.{name}")
                shapes.append(values.shape)
        return {"shapes": shapes}
    raise ValueError(f"there is no command '{command}'")


class Full:
    """A peer that doesn't merge."""

    def rows(self):
        return []

    def map(self):
        return None


class Pictures:
    """A CalibrationDataReader of ONNX Runtime."""

    def __init__(self, name, file):
        self.blobs = iter([{name: blob[None]} for blob in numpy.load(file)])

    def get_next(self):
        return next(self.blobs, None)


def quantised(options):
    """The path of the model as ONNX Runtime's own tools quantise it: dynamically, or by pictures (QDQ). Weights by channel."""
    import onnx
    from onnxruntime import quantization

    model = pathlib.Path(options["model"])
    way = "static" if options["calibrated"] else "dynamic"
    made = pathlib.Path(options["calibration"]).with_name(f"{model.stem}-{way}.onnx")
    settings = {"per_channel": True, "weight_type": quantization.QuantType.QInt8}
    prepared = made.with_suffix(".prepared")
    quantization.quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
    if options["calibrated"]:
        name = onnx.load(str(model), load_external_data=False).graph.input[0].name
        pictures = Pictures(name, options["calibration"])
        quantization.quantize_static(str(prepared), str(made), pictures, **settings)
    else:
        products = ["MatMul", "Gemm"]  # its ConvInteger is slower than float32
        quantization.quantize_dynamic(
            str(prepared), str(made), op_types_to_quantize=products, **settings
        )
    return str(made)


class OnnxRuntime(Full):
    """Its CPU provider, into an output that is there beforehand."""

    def __init__(self, options):
        import onnxruntime

        self.version = f"ONNX Runtime {onnxruntime.__version__}"
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options["threads"]
        settings.inter_op_num_threads = 1
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        model = quantised(options) if options["precision"] == "int8" else options["model"]
        self.session = onnxruntime.InferenceSession(
            model, settings, providers=["CPUExecutionProvider"]
        )
        self.value = onnxruntime.OrtValue

    def load(self, image):
        names = self.session.get_inputs()[0].name, self.session.get_outputs()[0].name
        first = self.session.run([names[1]], {names[0]: image})[0]
        self.result = self.value.ortvalue_from_numpy(first)
        self.binding = self.session.io_binding()
        self.binding.bind_ortvalue_input(names[0], self.value.ortvalue_from_numpy(image))
        self.binding.bind_ortvalue_output(names[1], self.result)

    def forward(self):
        self.session.run_with_iobinding(self.binding)

    def output(self):
        return self.result.numpy()


class OpenVino(Full):
    """Its CPU plugin, one stream, tuned for latency; int8 as NNCF quantises a transformer by pictures, what it leaves
    alone in the fastest it has."""

    def __init__(self, options):
        import openvino

        self.version = f"OpenVINO {openvino.__version__.split('-')[0]}"
        core = openvino.Core()
        if options["precision"] == "bf16":
            if "BF16" not in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
                raise RuntimeError("OpenVINO does not compute in bf16 on this processor")
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": "1",
            "INFERENCE_NUM_THREADS": str(options["threads"]),
        }
        hints = {"fp32": "f32", "bf16": "bf16"}
        if options["precision"] in hints:
            settings["INFERENCE_PRECISION_HINT"] = hints[options["precision"]]
        model = core.read_model(options["model"])
        model.reshape(options["shape"])  # an open batch is one image
        if options["precision"] == "int8":
            model = self.quantised(model, options["calibration"])
        self.request = core.compile_model(model, "CPU", settings).create_infer_request()

    @staticmethod
    def quantised(model, calibration):
        import nncf
        blobs = [blob[None] for blob in numpy.load(calibration)]
        return nncf.quantize(
            model,
            nncf.Dataset(blobs),
            model_type=nncf.ModelType.TRANSFORMER,
            subset_size=len(blobs),
        )

    def load(self, image):
        self.request.get_input_tensor(0).data[:] = image

    def forward(self):
        self.request.start_async()
        self.request.wait()

    def output(self):
        return self.request.get_output_tensor(0).data


class Torch:
    """Eager or compiled; full tokens, with MPM as in its paper, or with ToMe; int8 of linear layers, dynamically."""

    def __init__(self, options):
        import merging_torch
        import models
        import torch

        self.torch = torch
        self.version = f"PyTorch {torch.__version__.partition('+')[0]}"
        torch.set_num_threads(options["threads"])
        torch.set_num_interop_threads(1)
        if not options.get("weights"):
            raise RuntimeError("PyTorch needs the model's weights, and a file has it in ONNX alone")
        self.model = models.load(options["weights"], options["output"] == "full")
        self.merging = None
        merging_torch.use_fused_attention(self.model)
        if options["merging"] == "mpm":
            self.merging = merging_torch.MpmEncoder(self.model.encoder, options["schedule"])
        elif options["merging"] == "tome":
            self.merging = merging_torch.TomeEncoder(self.model.encoder, options["end"])
        if self.merging:
            self.model.encoder = self.merging
        if options["precision"] == "int8":
            quantise = torch.ao.quantization.quantize_dynamic
            self.model = quantise(self.model, {torch.nn.Linear}, torch.qint8)
        if options.get("compile"):
            self.model = torch.compile(self.model)

    def load(self, image):
        self.image = self.torch.from_numpy(image)

    def forward(self):
        with self.torch.inference_mode():
            self.result = self.model(self.image)

    def output(self):
        return self.result.numpy()

    def rows(self):
        return self.merging.rows if self.merging else []

    def map(self):
        return self.merging.map.numpy() if self.merging else None


class OpenCv(Full):
    """OpenCV's own layers, of the version that stands on PYTHONPATH; int8 as OpenCV 4 quantises a net by pictures."""

    def __init__(self, options):
        import cv2

        self.version = f"OpenCV {cv2.__version__}"
        cv2.setNumThreads(options["threads"])
        self.net = cv2.dnn.readNetFromONNX(options["model"])
        if options["precision"] == "int8":
            blobs = numpy.load(options["calibration"])[:1]
            self.net = self.net.quantize([blobs], cv2.CV_32F, cv2.CV_32F)

    def load(self, image):
        self.image = image

    def forward(self):
        self.net.setInput(self.image)
        self.result = self.net.forward()

    def output(self):
        return self.result


PEERS = {"onnxruntime": OnnxRuntime, "openvino": OpenVino, "torch": Torch, "opencv": OpenCv}


def main(name, words):
    """Makes the peer of the options and obeys standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints goes to the log
    try:
        options = json.loads(words)
        peer = PEERS[name](options)
        print(json.dumps({"version": peer.version}), file=answers)
        for line in sys.stdin:
            command, _, argument = line.strip().partition(" ")
            print(json.dumps(obey(peer, options, command, argument)), file=answers)
    except Exception as error:  # a library raises whatever it likes; all of it is an answer
        print(json.dumps({"failed": first_line(error)}), file=answers)
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
