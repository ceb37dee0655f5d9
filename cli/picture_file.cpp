// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_file.h"

#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "cli/output_file.h"

namespace mpm::cli {

void writePicture(const std::filesystem::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters) {
  std::vector<unsigned char> bytes;
  if (!cv::imencode(path.extension().string(), picture, bytes, parameters))
    throw std::runtime_error("cannot write " + path.string());
  writeFile(path.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace mpm::cli
