// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "dnn/read_net.h"
#include "segment/model_metadata.h"

namespace mpm {

// Puts the model's .toml into the file, since nobody would find it next to the converted one.
void convert(const std::string& from, const std::string& to, const ReadOptions& options,
             const std::vector<cv::Mat>& calibration) {
  dnn::convert(from, to, options, calibration,
               segment::metadataEntries(segment::tomlMetadataBeside(from)));
}

}  // namespace mpm
