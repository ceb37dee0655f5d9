# SPDX-License-Identifier: Apache-2.0
"""OpenVINO as a peer: its CPU plugin, one stream, tuned for latency, float32 or bfloat16; or int8 as
NNCF quantises a transformer by pictures, what it leaves alone in the fastest it has."""

import serving


class Peer(serving.Full):
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
        import numpy

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


if __name__ == "__main__":
    serving.serve(Peer)
