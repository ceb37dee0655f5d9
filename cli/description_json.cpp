// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/description.h"

namespace mpm::cli {
namespace {

using Json = nlohmann::ordered_json;

Json blobs(const std::vector<Description::Blob>& blobs) {
  Json list = Json::array();
  for (const Description::Blob& blob : blobs) {
    Json shape = Json::array();
    for (const int size : blob.shape) shape.push_back(size < 0 ? Json(nullptr) : Json(size));
    list.push_back({{"name", blob.name}, {"shape", shape}});
  }
  return list;
}

Json size(const cv::Size& size) { return {{"width", size.width}, {"height", size.height}}; }

}  // namespace

std::string descriptionJson(const std::string& path, const Description& description) {
  Json json = {{"model", path},
               {"mergeable", description.mergeable},
               {"inputs", blobs(description.inputs)},
               {"outputs", blobs(description.outputs)}};
  if (description.mergeable) {
    json["blocks"] = description.blocks;
    json["dim"] = description.dim;
    json["heads"] = description.heads;
    json["special"] = description.special;
    json["patch"] = description.patch;
    json["grid"] = size(description.grid);
    json["input"] = size(description.input);
    json["gelu"] = description.gelu;
    json["head"] = description.head;
    json["schedule"] = description.schedule;
  } else {
    json["reason"] = description.reason;
  }
  json["metadata"] = Json::object();
  for (const auto& [key, value] : description.metadata) json["metadata"][key] = value;
  // Names come from a file, whose bytes need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mpm::cli
