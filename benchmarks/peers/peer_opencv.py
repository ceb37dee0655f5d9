# SPDX-License-Identifier: Apache-2.0
"""OpenCV's own layers as a peer: cv2.dnn of the version that stands on PYTHONPATH; int8 as OpenCV 4
quantises a net by pictures."""

import serving


class Peer(serving.Full):
    def __init__(self, options):
        import cv2

        self.version = f"OpenCV {cv2.__version__}"
        cv2.setNumThreads(options["threads"])
        self.net = cv2.dnn.readNetFromONNX(options["model"])
        if options["precision"] == "int8":
            import numpy

            blobs = numpy.load(options["calibration"])[:1]
            self.net = self.net.quantize([blobs], cv2.CV_32F, cv2.CV_32F)

    def load(self, image):
        self.image = image

    def forward(self):
        self.net.setInput(self.image)
        self.result = self.net.forward()

    def output(self):
        return self.result


if __name__ == "__main__":
    serving.serve(Peer)
