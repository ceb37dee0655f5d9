# SPDX-License-Identifier: Apache-2.0
"""OpenVINO as a peer: its CPU plugin, one stream, tuned for latency, float32 or bfloat16."""

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
            "INFERENCE_PRECISION_HINT": {"fp32": "f32", "bf16": "bf16"}[options["precision"]],
        }
        model = core.read_model(options["model"])
        model.reshape(options["shape"])  # an open batch is one image
        self.request = core.compile_model(model, "CPU", settings).create_infer_request()

    def load(self, image):
        self.request.get_input_tensor(0).data[:] = image

    def forward(self):
        self.request.start_async()
        self.request.wait()

    def output(self):
        return self.request.get_output_tensor(0).data


if __name__ == "__main__":
    serving.serve(Peer)
