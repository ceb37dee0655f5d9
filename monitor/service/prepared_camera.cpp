// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/prepared_camera.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "digest/sha256.h"
#include "dnn/model_files.h"
#include "mpm/net.h"

namespace mpm::monitor {
namespace {

Metrics metricsOf(const PreparedCamera& camera) {
  return engineMetrics(*camera.loaded->network, camera.schedule(), camera.engine.source.book);
}

// Removes the rules that cannot act with this model.
void leaveOut(PreparedCamera& camera) {
  const Metrics metrics = metricsOf(camera);
  std::vector<Rule> fit;
  for (const Rule& rule : camera.engine.source.book.rules) {
    fit.push_back(rule);
    try {
      checkRules({fit, {}}, metrics);
    } catch (const std::runtime_error& fault) {
      camera.leftOut.emplace_back(fault.what());
      fit.pop_back();
    }
  }
  camera.engine.source.book.rules = std::move(fit);
}

void choosePrecision(LoadedNetwork& loaded, std::vector<cv::Mat> pictures) {
  NetworkOptions& options = loaded.options;
  options.segmenter.read.precision = "fp32";
  pictures.erase(std::remove_if(pictures.begin(), pictures.end(), isOfOneColour), pictures.end());
  if (pictures.empty()) return;  // and chosenFor stays: next time there may be some
  loaded.precisions = tunePrecisions(options.model, options.segmenter, pictures);
  options.segmenter.read.precision = fastestPrecision(loaded.precisions).precision;
  options.chosenFor = loaded.hash;
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
std::string settingsJson(const PreparedCamera& camera) {
  const EngineOptions& engine = camera.engine;
  const ReadOptions& read = camera.loaded->options.segmenter.read;
  const Network& network = *camera.loaded->network;
  nlohmann::json settings{{"merge_before", camera.schedule().blocks()},
                          {"precision", precisionName(read.precision)},
                          {"max_fps", engine.mostFps},
                          {"light", lightText(engine.light)},
                          {"camera_watch", engine.watchCamera},
                          {"memory", engine.memory && network.memoryFault().empty()},
                          {"replay", engine.capture.everyFrame}};
  const std::string device = deviceName(read.device);
  if (device != "cpu") settings["device"] = device;
  const std::string taught = network.taught();
  if (!taught.empty()) settings["taught"] = taught;
  if (engine.source.isNewView) settings["new_view"] = true;
  settings["follow_camera"] = engine.source.book.followCamera;
  settings.update(placesJson(engine.source.book));
  return settings.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

bool LoadedNetwork::isReplaced() const {
  try {
    return !files.empty() &&
           digest::modelSha256(options.model, dnn::filesOfModel(options.model)) != files;
  } catch (const std::exception&) {
    return false;
  }
}

LoadedNetworkPtr loadNetwork(NetworkOptions options,
                             const std::function<std::vector<cv::Mat>()>& pictures) {
  const auto loaded = std::make_shared<LoadedNetwork>();
  loaded->options = std::move(options);
  const std::string& model = loaded->options.model;
  // Hashes before reading: if it is replaced in between, the network's own hash is unknown.
  loaded->files = digest::modelSha256(model, dnn::filesOfModel(model));
  loaded->hash = loaded->files.at("");
  const auto written = std::filesystem::last_write_time(model);
  if (loaded->options.choosePrecision && loaded->options.chosenFor != loaded->hash)
    choosePrecision(*loaded, pictures());
  loaded->network = makeNetwork(model, loaded->options.segmenter);
  loaded->schedule = loaded->network->schedule();
  if (std::filesystem::last_write_time(model) != written) {
    throw std::runtime_error("the model " + model + " was replaced while it was read; try again");
  }
  return loaded;
}

PreparedCamera prepareCamera(EngineOptions engine, LoadedNetworkPtr loaded, bool mustFit) {
  PreparedCamera camera{std::move(engine), std::move(loaded), {}};
  camera.schedule().check(camera.loaded->network->blocks());
  if (!mustFit) leaveOut(camera);
  checkRules(camera.engine.source.book, metricsOf(camera));
  return camera;
}

RunFacts runFacts(const PreparedCamera& camera, const std::string& version, const Moment& begun) {
  const NamedSource& source = camera.engine.source;
  RunFacts facts;
  facts.source = source.name;
  facts.address = source.address.shown;
  facts.model = std::filesystem::path(camera.loaded->options.model).filename().string();
  facts.modelHash = camera.loaded->hash;
  facts.settings = settingsJson(camera);
  facts.version = version;
  facts.metrics = metricsOf(camera).names();
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
