# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as a peer: its CPU provider, into an output that is there beforehand.

Of int8 as its own tools quantise a model: dynamically, or by pictures (QDQ). Weights by channel.
"""

import pathlib

import serving


class Pictures:
    """A CalibrationDataReader."""

    def __init__(self, name, file):
        import numpy

        self.blobs = iter([{name: blob[None]} for blob in numpy.load(file)])

    def get_next(self):
        return next(self.blobs, None)


def quantised(options):
    """The path of the quantised model."""
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


class Peer(serving.Full):
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


if __name__ == "__main__":
    serving.serve(Peer)
