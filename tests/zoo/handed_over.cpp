// SPDX-License-Identifier: Apache-2.0
// Preloaded into `mpm`, this keeps the model that OpenCV is handed in the file MPM_HANDED_OVER
// names.
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <opencv2/dnn.hpp>

namespace cv::dnn {
CV__DNN_INLINE_NS_BEGIN

Net readNetFromONNX(const char* buffer, std::size_t size) {
  const String file = std::getenv("MPM_HANDED_OVER");
  std::ofstream(file, std::ios::binary).write(buffer, static_cast<std::streamsize>(size));
  return readNetFromONNX(file);
}

CV__DNN_INLINE_NS_END
}  // namespace cv::dnn
