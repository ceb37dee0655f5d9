// SPDX-License-Identifier: Apache-2.0
// mpm info: shows what was recognised in a model.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "mpm/net.h"
#include "segment/model_metadata.h"

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

// Returns one JSON object: with `mergeable` what was recognised, otherwise `reason`.
std::string descriptionJson(const std::string& path, const Description& description) {
  Json json = {{"model", path},
               {"mergeable", description.mergeable},
               {"inputs", blobs(description.inputs)},
               {"outputs", blobs(description.outputs)}};
  if (description.mergeable) {
    json["blocks"] = description.depth;
    json["dim"] = description.embedDim;
    json["heads"] = description.numHeads;
    json["special"] = description.numPrefixTokens;
    json["patch"] = description.patchSize;
    json["grid"] = size(description.gridSize);
    json["input"] = size(description.input);
    json["input_open"] = description.isInputOpen;
    json["gelu"] = description.gelu;
    json["head"] = description.head;
    json["schedule"] = description.schedule.blocks();
    if (description.lastInWindows >= 0) json["last_in_windows"] = description.lastInWindows;
  } else {
    json["reason"] = description.reason;
  }
  json["layers"] = description.layers;
  json["computed"] = description.computed;
  json["metadata"] = Json::object();
  for (const auto& [key, value] : description.metadata) json["metadata"][key] = value;
  return jsonText(json);
}

using Rows = std::vector<std::pair<std::string, std::string>>;  // the same label again: ""

constexpr std::size_t kWidestValue = 70;

// Returns one line that a terminal can show, lists with their length: a file may hold anything.
std::string shown(const std::string& value) {
  const auto newLines = std::count(value.begin(), value.end(), '\n');
  std::string text = newLines == 0 ? "" : std::to_string(newLines + 1) + ": ";
  for (const char c : value) {
    if (c == '\n') text += ',';
    text += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  if (text.size() > kWidestValue) {
    std::size_t end = kWidestValue - 3;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
    text = text.substr(0, end) + "...";
  }
  return text;
}

void addBlobs(Rows& rows, std::string label, const std::vector<Description::Blob>& blobs) {
  std::size_t widest = 0;
  for (const auto& blob : blobs) widest = std::max(widest, shown(blob.name).size());
  for (const auto& blob : blobs) {
    std::string name = shown(blob.name);
    name.resize(widest, ' ');
    rows.emplace_back(std::exchange(label, ""), name + "  " + shapeText(blob.shape));
  }
}

void addEncoder(Rows& rows, const Description& description) {
  const auto text = [](int number) { return std::to_string(number); };
  const char* const blocks = description.depth == 1 ? " block of " : " blocks of ";
  rows.emplace_back("encoder", text(description.depth) + blocks + text(description.embedDim) +
                                   " features, " + text(description.numHeads) + " heads" +
                                   (description.gelu.empty() ? "" : ", GELU " + description.gelu));
  // Convolutions, which stay OpenCV's, make places of a picture; these count as the patches.
  const bool areCut = description.patchSize > 1 || description.gridSize == description.input;
  rows.emplace_back("tokens", text(description.numPrefixTokens) + " prefix + " +
                                  text(description.gridSize.area()) + " patches (" +
                                  sizeText(description.gridSize) + ")" +
                                  (areCut ? " of " + text(description.patchSize) + " x " +
                                                text(description.patchSize) + " pixels"
                                          : ", made by convolutions"));
  rows.emplace_back("head", shown(description.head));
  // Too short for the default, but not a file that was converted without merges.
  const bool couldMerge =
      description.schedule.empty() && description.layers.count("mpm.MutualPairMerge") != 0;
  const std::string last = text(description.depth - 1);
  rows.emplace_back("merges", couldMerge ? "none by default; --merge-before " + last +
                                               " merges before block " + last
                                         : scheduleText(description.schedule));
  if (description.lastInWindows >= 0) {
    rows.emplace_back("", "up to block " + text(description.lastInWindows) +
                              ", the last within windows, they pair only within windows");
  }
}

std::string countsText(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [type, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + type;
  return text;
}

// Returns "2 mpm.Linear, 1 mpm.Subgraph; of OpenCV 3 Convolution, 1 Softmax".
std::string layersText(const Description& description) {
  std::map<std::string, int> own, opencv;
  for (const auto& [type, count] : description.layers)
    (type.starts_with("mpm.") ? own : opencv)[type] = count;
  std::string ours = countsText(own);
  const std::string others = countsText(opencv);
  if (!ours.empty() && !others.empty()) ours += "; ";
  return ours + (others.empty() ? "" : "of OpenCV " + others);
}

std::string format(const Rows& rows) {
  std::size_t widest = 0;
  for (const auto& [label, value] : rows) widest = std::max(widest, label.size());
  std::string text;
  for (const auto& [label, value] : rows) {
    text += label + std::string(widest + 2 - label.size(), ' ') + value + '\n';
  }
  return text;
}

// Returns rows of labels and values for a person; of the metadata only mpm's.
std::string descriptionTable(const std::string& path, const Description& description) {
  Rows rows = {{"model", path}};
  addBlobs(rows, "inputs", description.inputs);
  if (description.isInputOpen && !description.input.empty())
    rows.emplace_back("", "the file leaves its size open: --input-size gives another one");
  addBlobs(rows, "outputs", description.outputs);
  if (description.mergeable) {
    addEncoder(rows, description);
  } else {
    rows.emplace_back("merges", "no: " + description.reason);
  }
  if (!description.layers.empty()) rows.emplace_back("layers", layersText(description));
  if (!description.computed.empty())
    rows.emplace_back("", "in mpm.Subgraph " + countsText(description.computed));
  for (const auto& [key, value] : description.metadata) {
    if (key.starts_with("mpm.")) rows.emplace_back(shown(key), shown(value));
  }
  return format(rows);
}

// Shapes at the input size that was asked for, where the file fixes another one: outputs beyond
// their channels are then not known.
void setShapes(Description& description) {
  bool isOther = false;
  for (Description::Blob& blob : description.inputs) {
    if (blob.shape.size() != 4 || blob.shape[2] < 0 || description.input.empty()) continue;
    const std::vector<int> asked = {blob.shape[0], blob.shape[1], description.input.height,
                                    description.input.width};
    isOther = isOther || asked != blob.shape;
    blob.shape = asked;
  }
  if (!isOther) return;
  for (Description::Blob& blob : description.outputs)
    for (std::size_t axis = 2; axis < blob.shape.size(); ++axis) blob.shape[axis] = -1;
}

struct InfoArguments {
  std::string model;
  bool json = false;
  ModelOptions read;
};

}  // namespace

void addInfo(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "show what was recognised in a model");
  const auto arguments = std::make_shared<InfoArguments>();
  addModel(*command, arguments->model);
  arguments->read.addTo(*command, kInputSize);
  command->add_flag("--json", arguments->json, "print JSON instead of text");
  command->footer("Example: mpm info vit.onnx");
  command->callback([arguments] {
    const ReadOptions read = arguments->read.parse();
    Description description = describe(arguments->model, read);
    if (!read.inputSize.empty()) setShapes(description);
    for (const auto& [key, value] :
         segment::metadataEntries(segment::tomlMetadataBeside(arguments->model)))
      description.metadata[key] = value;
    std::cout << (arguments->json ? descriptionJson(arguments->model, description)
                                  : descriptionTable(arguments->model, description));
  });
}

}  // namespace mpm::cli
