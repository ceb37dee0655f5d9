// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/day_pictures.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "monitor/statistics/picture_tokens.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

// Null where there is no such thing: facts are of any version.
Json at(const Json& facts, const char* name) {
  const auto found = facts.is_object() ? facts.find(name) : facts.end();
  return found == facts.end() ? Json() : *found;
}

std::string textOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

double numberOf(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// What is no list of whole numbers is as if it were not there.
Schedule scheduleOf(const Json& blocks) {
  std::vector<int> found;
  if (blocks.is_array())
    for (const Json& block : blocks)
      if (block.is_number_integer()) found.push_back(block.get<int>());
  return Schedule(std::move(found));
}

void countTokens(const Json& figures, DayPicture& picture) {
  const double before = numberOf(at(figures, "rows.0")), live = numberOf(at(figures, "live_rows"));
  const auto special = specialRows(before, live, numberOf(at(figures, "merged_share")));
  if (!special) return;
  picture.tokens = before - *special;
  picture.liveTokens = live - *special;
}

}  // namespace

std::vector<DayPicture> dayPictures(const RecordReader& record, const std::string& source,
                                    std::int64_t fromUtcMs, std::int64_t toUtcMs) {
  std::vector<DayPicture> pictures;
  for (RecordedSnapshot& snapshot : record.snapshots(source, fromUtcMs, toUtcMs)) {
    DayPicture picture;
    picture.frame = std::move(snapshot.picture);
    picture.picture = snapshot.overlay.empty() ? picture.frame : std::move(snapshot.overlay);
    const Json facts = Json::parse(snapshot.facts, nullptr, false);
    if (picture.picture.empty() || at(facts, "filtered") == true) continue;
    picture.taken = snapshot.taken;
    picture.reason = std::move(snapshot.reason);
    picture.labels = std::move(snapshot.labels);
    picture.mergeMap = std::move(snapshot.mergeMap);
    picture.light = lightStateOf(textOf(at(facts, "light"))).value_or(LightState::transition);
    countTokens(at(facts, "figures"), picture);
    picture.schedule = scheduleOf(at(facts, "schedule"));
    picture.modelHash = textOf(at(at(facts, "run"), "model_hash"));
    pictures.push_back(std::move(picture));
  }
  std::stable_sort(pictures.begin(), pictures.end(), [](const DayPicture& a, const DayPicture& b) {
    return a.taken.utcMs < b.taken.utcMs;
  });
  return pictures;
}

}  // namespace mpm::monitor
