// Net::getLayerInputs works on nets of the classic engine only
//
// With the new engine every layer that getLayerNames lists is unknown to getLayerInputs: "Layer
// with requested id=1 not found". What a layer reads is to be had from Layer::inputs and the list
// of layers alone.
#include <cstdio>
#include <opencv2/dnn.hpp>
#include <vector>

// y = exp(-x), in ONNX
const std::vector<uchar> kModel = {
    8,   8,  58, 81, 10,  16, 10, 1,  120, 18,  1,   97,  26, 1,   110, 34, 3,  78,  101,
    103, 58, 0,  10, 16,  10, 1,  97, 18,  1,   121, 26,  1,  101, 34,  3,  69, 120, 112,
    58,  0,  18, 1,  103, 90, 19, 10, 1,   120, 18,  14,  10, 12,  8,   1,  18, 8,   10,
    2,   8,  1,  10, 2,   8,  4,  98, 19,  10,  1,   121, 18, 14,  10,  12, 8,  1,   18,
    8,   10, 2,  8,  1,   10, 2,  8,  4,   66,  4,   10,  0,  16,  14,
};

int main() {
  cv::dnn::Net net = cv::dnn::readNetFromONNX(kModel, cv::dnn::ENGINE_NEW);
  try {
    std::printf("right: %zu inputs\n",
                net.getLayerInputs(net.getLayerId(net.getLayerNames()[1])).size());
  } catch (const cv::Exception& error) {
    std::printf("wrong: %s\n", error.err.c_str());
  }
}
