// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "digest/sha256.h"
#include "dnn/model_files.h"
#include "monitor/engine/engine.h"
#include "mpm/net.h"

namespace mpm::monitor {
namespace {

constexpr std::chrono::seconds kPicturePatience{15};

void checkBooks(const std::vector<NamedSource>& sources, Network& network) {
  for (const NamedSource& source : sources) {
    checkRules(source.book, engineMetrics(network, source.book));
  }
}

// Removes the rules that cannot act with this model.
void leaveOut(PreparedSession& prepared) {
  for (NamedSource& source : prepared.options.engine.sources) {
    const Metrics metrics = engineMetrics(*prepared.network, source.book);
    std::vector<Rule> fit;
    for (const Rule& rule : source.book.rules) {
      fit.push_back(rule);
      try {
        checkRules({fit, {}}, metrics);
      } catch (const std::runtime_error& fault) {
        prepared.leftOut.emplace_back(fault.what());
        fit.pop_back();
      }
    }
    source.book.rules = std::move(fit);
  }
}

void choosePrecision(PreparedSession& prepared, std::vector<cv::Mat> pictures) {
  SessionOptions& options = prepared.options;
  if (options.chosenFor == prepared.modelHash) return;
  if (pictures.empty()) pictures = firstPictures(options.engine, kPicturePatience);
  options.segmenter.read.precision = "fp32";
  pictures.erase(std::remove_if(pictures.begin(), pictures.end(), isOfOneColour), pictures.end());
  if (pictures.empty()) return;  // and chosenFor stays: next time there may be some
  prepared.precisions = tunePrecisions(options.model, options.segmenter, pictures);
  options.segmenter.read.precision = fastestPrecision(prepared.precisions).precision;
  options.chosenFor = prepared.modelHash;
}

template <typename Points>
nlohmann::json pointsJson(const Points& points) {
  nlohmann::json json = nlohmann::json::array();
  for (const cv::Point2d& point : points) json.push_back({point.x, point.y});
  return json;
}

// Says where zones and ground were drawn.
nlohmann::json placesJson(const RuleBook& book) {
  nlohmann::json places{{"zones", nlohmann::json::array()}};
  for (const Zone& zone : book.zones) {
    places["zones"].push_back({{"name", zone.name}, {"corners", pointsJson(zone.corners)}});
  }
  if (book.ground) {
    places["ground"] = {{"points", pointsJson(book.ground->points)},
                        {"metres", pointsJson(book.ground->metres)}};
  }
  return places;
}

// Says what a run was made with. Earlier records have less, and "merge_before" as "2, 5".
std::string settingsJson(const SessionOptions& options, const NamedSource& source,
                         Network& network) {
  nlohmann::json settings{{"merge_before", network.schedule().blocks()},
                          {"precision", precisionName(options.segmenter.read.precision)},
                          {"max_fps", options.engine.mostFps},
                          {"light", lightText(options.engine.light)},
                          {"camera_watch", options.engine.watchCamera},
                          {"memory", options.engine.memory && network.memoryFault().empty()},
                          {"replay", options.engine.capture.everyFrame}};
  const std::string device = deviceName(options.segmenter.read.device);
  if (device != "cpu") settings["device"] = device;
  const std::string taught = network.taught();
  if (!taught.empty()) settings["taught"] = taught;
  if (source.isNewView) settings["new_view"] = true;
  settings["follow_camera"] = source.book.followCamera;
  settings.update(placesJson(source.book));
  return settings.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

PreparedSession prepare(SessionOptions options, std::vector<cv::Mat> pictures) {
  PreparedSession prepared{std::move(options), nullptr, {}, {}, {}, {}};
  const std::string& model = prepared.options.model;
  // Hashes before reading: if it is replaced in between, the network's own hash is unknown.
  prepared.modelFiles = digest::modelSha256(model, dnn::filesOfModel(model));
  prepared.modelHash = prepared.modelFiles.at("");
  const auto written = std::filesystem::last_write_time(model);
  if (prepared.options.choosePrecision) choosePrecision(prepared, std::move(pictures));
  prepared.network = makeNetwork(prepared.options.model, prepared.options.segmenter);
  if (std::filesystem::last_write_time(model) != written) {
    throw std::runtime_error("the model " + model + " was replaced while it was read; try again");
  }
  if (!prepared.options.mustFit) leaveOut(prepared);
  checkBooks(prepared.options.engine.sources, *prepared.network);
  return prepared;
}

RunFacts runFacts(const PreparedSession& prepared, const NamedSource& source, const Moment& begun) {
  RunFacts facts;
  facts.source = source.name;
  facts.address = source.address.shown;
  facts.model = std::filesystem::path(prepared.options.model).filename().string();
  facts.modelHash = prepared.modelHash;
  facts.settings = settingsJson(prepared.options, source, *prepared.network);
  facts.version = prepared.options.version;
  facts.metrics = engineMetrics(*prepared.network, source.book).names();
  facts.begun = begun;
  return facts;
}

bool hasOtherPlaces(const RecordReader& reader, const NamedSource& source) {
  const std::vector<RecordedRun> runs = reader.runs(source.name);
  if (runs.empty()) return false;
  const auto settings = nlohmann::json::parse(runs.back().facts.settings, nullptr, false);
  if (!settings.is_object()) return false;
  const nlohmann::json places = placesJson(source.book);
  for (const auto& [key, value] : places.items()) {
    const auto before = settings.find(key);
    if (before != settings.end() && *before != value) return true;
  }
  return false;
}

}  // namespace mpm::monitor
