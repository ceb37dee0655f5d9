// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/eval_report.h"
#include "cli/wording.h"
#include "files/text.h"

namespace mpm::cli {
namespace {

using evaluate::Distances;
using evaluate::ScheduleFigures;
using Json = nlohmann::ordered_json;

Json orNull(double number) { return std::isnan(number) ? Json() : Json(number); }
Json roundedOrNull(double number) { return std::isnan(number) ? Json() : Json(rounded(number)); }

Json distancesJson(const Distances& distances) {
  Json within = Json::object(), histogram = Json::array();
  for (const double patches : toldDistances())
    within[numberText(patches, 2)] = orNull(evaluate::shareWithin(distances, patches));
  for (const auto& [thousandths, pairs] : distances)
    histogram.push_back({thousandths / 1000.0, pairs});
  return {{"pairs", evaluate::pairsOf(distances)},
          {"mean", orNull(evaluate::meanDistance(distances))},
          {"median", orNull(evaluate::medianDistance(distances))},
          {"within", within},
          {"histogram", histogram}};
}

Json classesJson(const ScheduleFigures& figures, const std::vector<std::string>& names) {
  Json classes = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) {
    classes.push_back({{"name", names[k]},
                       {"pixels", figures.all.pixels[k]},
                       {"iou", orNull(figures.all.iou[k])},
                       {"accuracy", orNull(figures.all.accuracy[k])},
                       {"edge_iou", orNull(figures.edges.iou[k])}});
  }
  return classes;
}

Json scheduleJson(const ScheduleFigures& figures, const EvalReport& report) {
  Json json = {{"schedule", figures.schedule.blocks()},
               {"miou", orNull(figures.all.meanIou)},
               {"pixel_accuracy", orNull(figures.all.pixelAccuracy)},
               {"mean_accuracy", orNull(figures.all.meanAccuracy)},
               {"edge_miou", orNull(figures.edges.meanIou)},
               {"edge_pixel_accuracy", orNull(figures.edges.pixelAccuracy)},
               {"small_miou", orNull(figures.smallIou)},
               {"rows", figures.rows},
               {"merged", orNull(figures.merged)},
               {"network_ms", roundedOrNull(figures.networkMs)},
               {"ms", roundedOrNull(figures.ms)},
               {"ratio", roundedOrNull(figures.ratio)},
               {"classes", classesJson(figures, report.header.classes)}};
  if (report.summary.distancePictures == 0) return json;
  Json& merges = json["pair_distances"] = Json::array();
  for (std::size_t i = 0; i < figures.distances.size(); ++i) {
    Json merge = {{"before", figures.schedule[i]}};
    merge.update(distancesJson(figures.distances[i]));
    merges.push_back(merge);
  }
  return json;
}

Json noteOf(const EvalReport& report, const std::string& key) {
  const auto note = report.header.notes.find(key);
  return note == report.header.notes.end() ? Json() : Json(note->second);
}

}  // namespace

std::string evalJson(const EvalReport& report) {
  const evaluate::Summary& summary = report.summary;
  Json skipped = Json::array(), small = Json::array(), schedules = Json::array();
  for (const evaluate::Fault& fault : summary.faults)
    skipped.push_back({{"kind", evaluate::nameOf(fault.kind)}, {"sentence", fault.sentence}});
  for (const std::size_t k : report.header.small) small.push_back(report.header.classes[k]);
  for (const ScheduleFigures& figures : summary.schedules)
    schedules.push_back(scheduleJson(figures, report));
  Json json = {{"model", noteOf(report, "model")},
               {"dataset", noteOf(report, "dataset")},
               {"machines", report.machines},
               {"options", report.header.options},
               {"shard", {report.header.shard.number, report.header.shard.count}},
               {"pictures", summary.pictures},
               {"skipped", skipped},
               {"small", small},
               {"schedules", schedules}};
  if (summary.distancePictures > 0) {
    json["pair_distance_pictures"] = summary.distancePictures;
    json["random_pair_distances"] = distancesJson(summary.random);
  }
  return jsonText(json);
}

namespace {

using evaluate::ScheduleFigures;
using files::csvField;

constexpr int kDigits = 6;  // of a share

// Nothing says nothing.
std::string field(double number, int digits) {
  return std::isnan(number) ? "" : numberText(number, digits);
}

std::string rowsField(const std::vector<double>& rows) {
  std::string text;
  for (const double count : rows) {
    if (!text.empty()) text += ' ';
    text += numberText(count, 2);
  }
  return text;
}

}  // namespace

std::string evalCsv(const EvalReport& report) {
  std::ostringstream csv;
  csv << "schedule,pictures,miou,pixel_accuracy,mean_accuracy,edge_miou,edge_pixel_accuracy,"
         "small_miou,rows,merged,network_ms,ms,ratio\n";
  for (const ScheduleFigures& figures : report.summary.schedules) {
    csv << csvField(figures.schedule.text()) << ',' << report.summary.pictures << ','
        << field(figures.all.meanIou, kDigits) << ',' << field(figures.all.pixelAccuracy, kDigits)
        << ',' << field(figures.all.meanAccuracy, kDigits) << ','
        << field(figures.edges.meanIou, kDigits) << ','
        << field(figures.edges.pixelAccuracy, kDigits) << ',' << field(figures.smallIou, kDigits)
        << ',' << rowsField(figures.rows) << ',' << field(figures.merged, kDigits) << ','
        << field(figures.networkMs, 3) << ',' << field(figures.ms, 3) << ','
        << field(figures.ratio, 4) << '\n';
  }
  return csv.str();
}

std::string evalClassCsv(const EvalReport& report) {
  std::ostringstream csv;
  csv << "schedule,class,name,pixels,iou,accuracy,edge_iou\n";
  for (const ScheduleFigures& figures : report.summary.schedules) {
    for (std::size_t k = 0; k < report.header.classes.size(); ++k) {
      csv << csvField(figures.schedule.text()) << ',' << k << ','
          << csvField(report.header.classes[k]) << ',' << figures.all.pixels[k] << ','
          << field(figures.all.iou[k], kDigits) << ',' << field(figures.all.accuracy[k], kDigits)
          << ',' << field(figures.edges.iou[k], kDigits) << '\n';
    }
  }
  return csv.str();
}

}  // namespace mpm::cli
