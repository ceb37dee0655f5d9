// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/bench_frames.h"
#include "cli/wording.h"

namespace mpm::cli {
namespace {

std::string percent(double share, int digits) { return numberText(100 * share, digits) + "%"; }

}  // namespace

std::string ageTable(const SequenceReport& report) {
  std::vector<std::vector<std::string>> table = {
      {"", "frames since a full one", "frames", "same label", "mIoU", "of full", ""}};
  for (const SequenceRow& row : report.rows) {
    for (const AgeRow& age : row.ages) {
      const bool isLast = age.to == std::numeric_limits<int>::max();
      const std::string from = std::to_string(age.from), to = std::to_string(age.to);
      const std::string span = isLast               ? from + " and more"
                               : age.from == age.to ? to
                                                    : from + " to " + to;
      table.push_back({&age == row.ages.data() ? row.name : "", span, std::to_string(age.frames),
                       percent(age.agreement, 2),
                       age.meanIou ? numberText(100 * *age.meanIou, 2) : "-",
                       age.fullIou ? numberText(100 * *age.fullIou, 2) : "-",
                       age.meanIou ? numberText(100 * (*age.meanIou - *age.fullIou), 2) : ""});
    }
  }
  return tableText(table, "lrrrrrr");
}

std::string sequenceTable(const SequenceReport& report) {
  std::vector<std::vector<std::string>> table = {{"", "mean", "of full", "worst", "computed",
                                                  "oldest", "same label", "where sure", "reported",
                                                  "flicker", "steadied", "mIoU", "", "memory"}};
  const std::optional<double> full = report.rows[0].meanIou;
  for (const SequenceRow& row : report.rows) {
    const bool remembers = row.bytes > 0;
    table.push_back({row.name, msText(row.meanMs), numberText(row.ratio, 3),
                     "x " + numberText(row.worst, 2), percent(row.fresh, 1),
                     remembers ? std::to_string(row.oldest) : "", percent(row.agreement, 2),
                     percent(row.sure, 2), row.told ? percent(*row.told, 2) : "",
                     row.flicker ? percent(*row.flicker, 2) : "-",
                     row.steadied ? percent(*row.steadied, 2) : "",
                     row.meanIou ? numberText(100 * *row.meanIou, 2) : "-",
                     row.meanIou ? numberText(100 * (*row.meanIou - *full), 2) : "",
                     remembers ? numberText(static_cast<double>(row.bytes) / 1e6, 1) + " MB" : ""});
  }
  std::string text = report.model + " in " + report.precision + " on\n";
  for (const std::string& camera : report.cameras) text += "  " + camera + "\n";
  text +=
      countText(report.count, "frame") +
      (report.repeats == 1
           ? ", each timed once"
           : ", each timed " + countText(report.repeats, "time") + " (the fastest counts)") +
      ", " + nameOf(report.machine) + "\n\n" + tableText(table, "lrrrrrrrrrrrrr") +
      "\nEach frame is computed each way in turn; a camera's first is not timed. worst: the "
      "slowest frame\nover the same frame with merging alone. computed: share of the patches. "
      "oldest: a patch's age, in frames.\nsame label: as full tokens, of all pixels "
      "and of those that they are sure of (above 0.8).\nreported: the agreement that "
      "the memory itself measured.\nflicker: pixels whose label changed from one frame to the next "
      "where the picture did not;\nsteadied: the same after a vote over five frames.\n";
  if (!report.fault.empty()) text += "There is no scene memory: " + report.fault + ".\n";
  return text;
}

std::string sequenceJson(const SequenceReport& report) {
  using Json = nlohmann::ordered_json;
  const auto orNull = [](const std::optional<double>& number) {
    return number ? Json(rounded(*number, 6)) : Json();
  };
  Json ways = Json::array();
  for (const SequenceRow& row : report.rows) {
    Json ages = Json::array();
    for (const AgeRow& age : row.ages) {
      const bool isLast = age.to == std::numeric_limits<int>::max();
      ages.push_back({{"from", age.from},
                      {"to", isLast ? Json() : Json(age.to)},
                      {"frames", age.frames},
                      {"agreement", rounded(age.agreement, 6)},
                      {"mean_iou", orNull(age.meanIou)},
                      {"full_mean_iou", orNull(age.fullIou)}});
    }
    ways.push_back({{"name", row.name},
                    {"mean_ms", rounded(row.meanMs)},
                    {"ratio", rounded(row.ratio, 4)},
                    {"worst", rounded(row.worst)},
                    {"fresh_share", rounded(row.fresh, 4)},
                    {"oldest", row.oldest},
                    {"agreement", rounded(row.agreement, 6)},
                    {"agreement_sure", rounded(row.sure, 6)},
                    {"memory_agreement", orNull(row.told)},
                    {"flicker", orNull(row.flicker)},
                    {"flicker_steadied", orNull(row.steadied)},
                    {"mean_iou", orNull(row.meanIou)},
                    {"memory_bytes", row.bytes},
                    {"ages", ages}});
  }
  return jsonText(Json{{"model", report.model},
                       {"frames", report.cameras},
                       {"count", report.count},
                       {"repeats", report.repeats},
                       {"precision", report.precision},
                       {"machine", machineJson(report.machine)},
                       {"threads", report.machine.threads},
                       {"memory_fault", report.fault},
                       {"ways", ways}});
}

}  // namespace mpm::cli
