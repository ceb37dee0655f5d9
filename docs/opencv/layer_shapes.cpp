// Net::getLayerShapes works on the whole net only
//
// `layerId == 0` is asserted, and one layer with `dynamicOutputShapes` makes it fail for a whole
// net, too. To learn the shapes of a layer one has to run the net and to ask Net::argData.
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
  std::vector<cv::MatShape> in, out;
  try {
    net.getLayerShapes(cv::MatShape{1, 4}, CV_32F, 1, in, out);
    std::printf("right: %zu inputs, %zu outputs\n", in.size(), out.size());
  } catch (const cv::Exception& error) {
    std::printf("wrong: %s\n", error.err.c_str());
  }
}
