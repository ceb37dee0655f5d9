// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/prepared_session.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"

namespace mpm::monitor {
namespace {

template <typename Points>
nlohmann::json pointsJson(const Points& points) {
  nlohmann::json json = nlohmann::json::array();
  for (const cv::Point2d& point : points) json.push_back({point.x, point.y});
  return json;
}

// Where zones and ground were drawn.
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

// What a run was made with. Records of earlier versions have less, and "merge_before" as "2, 5".
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
