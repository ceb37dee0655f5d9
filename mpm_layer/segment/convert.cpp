// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "dnn/read_net.h"
#include "segment/facts.h"

namespace mpm {

// What a .toml says of the model goes into the file: beside that one it would not be found.
void convert(const std::string& from, const std::string& to, const ReadOptions& options,
             const std::vector<cv::Mat>& calibration) {
  dnn::convert(from, to, options, calibration, segment::metadataOf(segment::factsBeside(from)));
}

}  // namespace mpm
