# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as a peer: its CPU provider, into an output that is there beforehand."""

import serving


class Peer(serving.Full):
    def __init__(self, options):
        import onnxruntime

        self.version = f"ONNX Runtime {onnxruntime.__version__}"
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options["threads"]
        settings.inter_op_num_threads = 1
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(
            options["model"], settings, providers=["CPUExecutionProvider"]
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
