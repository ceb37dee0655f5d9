// SPDX-License-Identifier: Apache-2.0
#include "cli/eval_report.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "cli/wording.h"
#include "files/text.h"

namespace mpm::cli {

namespace {

using evaluate::ScheduleFigures;
using Rows = std::vector<std::vector<std::string>>;

std::string orDash(double number, const std::string& text) {
  return std::isnan(number) ? "-" : text;
}
std::string percentOrDash(double share) { return orDash(share, numberText(100 * share, 2)); }
std::string timeText(double ms) { return orDash(ms, msText(ms)); }

std::string nameInTable(const ScheduleFigures& figures) {
  return figures.schedule.empty() ? "(unmerged)" : figures.schedule.text();
}

std::string differenceText(const ScheduleFigures& figures, const ScheduleFigures* full) {
  if (full == nullptr || full == &figures) return "";
  const double points = 100 * (figures.all.meanIou - full->all.meanIou);
  return orDash(points, cv::format("%+.2f", points));
}

// Leaves out classes that neither truth nor any schedule has.
std::string classTable(const EvalReport& report) {
  const std::vector<ScheduleFigures>& schedules = report.summary.schedules;
  Rows rows = {{"IoU in %, class by class", "of the pixels"}};
  for (const ScheduleFigures& figures : schedules) rows[0].push_back(nameInTable(figures));
  double all = 0;
  for (const std::uint64_t pixels : schedules.front().all.pixels)
    all += static_cast<double>(pixels);
  for (std::size_t k = 0; k < report.header.classes.size(); ++k) {
    bool isThere = false;
    const double share = static_cast<double>(schedules.front().all.pixels[k]) / all;
    std::vector<std::string> row = {report.header.classes[k], percentOrDash(share)};
    for (const ScheduleFigures& figures : schedules) {
      isThere = isThere || !std::isnan(figures.all.iou[k]);
      row.push_back(percentOrDash(figures.all.iou[k]));
    }
    if (isThere) rows.push_back(row);
  }
  return tableText(rows, "lr" + std::string(schedules.size(), 'r'));
}

std::string scheduleTable(const EvalReport& report) {
  const ScheduleFigures* full = evaluate::fullTokensOf(report.summary);
  const bool isCompared = report.summary.compared > 0;
  Rows rows = {{"merge before", "mIoU", ""}};
  if (isCompared) rows[0].insert(rows[0].end(), {"agreement", "beyond floor"});
  for (const char* title :
       {"pixels", "edges", "live rows", "merged", "network", "a picture", "of unmerged"})
    rows[0].emplace_back(title);
  for (const ScheduleFigures& figures : report.summary.schedules) {
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{
        nameInTable(figures), percentOrDash(figures.all.meanIou), differenceText(figures, full)});
    if (isCompared) {
      const bool isFull = &figures == full;
      row.push_back(isFull ? "" : percentOrDash(figures.agreement));
      row.push_back(isFull ? "" : percentOrDash(figures.beyondFloor));
    }
    for (std::string& text :
         std::vector<std::string>{percentOrDash(figures.all.pixelAccuracy),
                                  percentOrDash(figures.edges.meanIou), rowsText(figures.rows),
                                  orDash(figures.merged, numberText(100 * figures.merged, 1) + "%"),
                                  timeText(figures.networkMs), timeText(figures.ms),
                                  orDash(figures.ratio, numberText(figures.ratio, 2))})
      row.push_back(std::move(text));
  }
  return tableText(rows, isCompared ? "lrrrrrrlrrrr" : "lrrrrlrrrr");
}

std::string floorText(const evaluate::Summary& summary) {
  if (summary.compared == 0) return "";
  return "\nNoise floor: unmerged runs label " + percentText(summary.floor) +
         " of the pixels the same when the picture is moved by a\n"
         "pixel (" +
         countText(summary.compared, "picture") +
         "). What merging changes up to there is hardly a loss.\n";
}

std::string wordOf(const std::map<std::string, std::string>& words, const std::string& key) {
  const auto word = words.find(key);
  return word == words.end() ? "" : word->second;
}

std::string headText(const EvalReport& report) {
  const auto& options = report.header.options;
  const auto& notes = report.header.notes;
  std::string text = wordOf(notes, "model") + " in " + wordOf(options, "precision") + " on " +
                     wordOf(notes, "dataset") + " (" + wordOf(options, "format") + ")\n";
  text += countText(report.summary.pictures, "picture");
  text += ", " + std::to_string(report.header.classes.size()) + " classes; input " +
          wordOf(options, "input") + ", " + wordOf(options, "fit");
  if (wordOf(options, "fit") == "slide")
    text +=
        ", short side " + wordOf(options, "short side") + ", stride " + wordOf(options, "stride");
  if (wordOf(options, "night") != "none") text += "; night: " + wordOf(options, "night");
  text += '\n';
  for (const std::string& machine : report.machines) text += machine + '\n';
  if (report.machines.size() > 1) text += "Times are of all these together.\n";
  return text;
}

}  // namespace

std::string evalTable(const EvalReport& report) {
  return headText(report) + '\n' + classTable(report) + '\n' + scheduleTable(report) +
         floorText(report.summary);
}

std::string leftOutSentence(const evaluate::Summary& summary) {
  if (summary.faults.empty()) return "";
  constexpr std::size_t kTold = 3;
  std::map<evaluate::FaultKind, std::vector<std::string>> kinds;
  for (const evaluate::Fault& fault : summary.faults) kinds[fault.kind].push_back(fault.sentence);
  std::string text = std::to_string(summary.faults.size()) + " of " +
                     std::to_string(summary.faults.size() + summary.pictures) +
                     " pictures were left out:";
  for (const auto& [kind, sentences] : kinds) {
    text += (kind == kinds.begin()->first ? " " : "; ") + std::string(evaluate::nameOf(kind)) +
            " " + std::to_string(sentences.size()) + " (";
    for (std::size_t i = 0; i < std::min(kTold, sentences.size()); ++i)
      text += (i == 0 ? "" : "; ") + sentences[i];
    text += sentences.size() > kTold ? "; ...)" : ")";
  }
  return text;
}

namespace {

using evaluate::ScheduleFigures;
using Json = nlohmann::ordered_json;

Json orNull(double number) { return std::isnan(number) ? Json() : Json(number); }
Json shareOrNull(double share) { return std::isnan(share) ? Json() : Json(rounded(share, 6)); }
Json roundedOrNull(double number) { return std::isnan(number) ? Json() : Json(rounded(number)); }

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
               {"rows", figures.rows},
               {"merged", orNull(figures.merged)},
               {"network_ms", roundedOrNull(figures.networkMs)},
               {"ms", roundedOrNull(figures.ms)},
               {"ratio", roundedOrNull(figures.ratio)},
               {"agreement", shareOrNull(figures.agreement)},
               {"beyond_floor", shareOrNull(figures.beyondFloor)},
               {"classes", classesJson(figures, report.header.classes)}};
  return json;
}

Json noteOf(const EvalReport& report, const std::string& key) {
  const auto note = report.header.notes.find(key);
  return note == report.header.notes.end() ? Json() : Json(note->second);
}

}  // namespace

std::string evalJson(const EvalReport& report) {
  const evaluate::Summary& summary = report.summary;
  Json skipped = Json::array(), schedules = Json::array();
  for (const evaluate::Fault& fault : summary.faults)
    skipped.push_back({{"kind", evaluate::nameOf(fault.kind)}, {"sentence", fault.sentence}});
  for (const ScheduleFigures& figures : summary.schedules)
    schedules.push_back(scheduleJson(figures, report));
  Json json = {{"model", noteOf(report, "model")},
               {"dataset", noteOf(report, "dataset")},
               {"machines", report.machines},
               {"options", report.header.options},
               {"pictures", summary.pictures},
               {"compared", summary.compared},
               {"floor", shareOrNull(summary.floor)},
               {"skipped", skipped},
               {"schedules", schedules}};
  return jsonText(json);
}

namespace {

using evaluate::ScheduleFigures;
using files::csvField;

constexpr int kDigits = 6;  // of a share

// Leaves a missing number empty.
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
         "rows,merged,network_ms,ms,ratio,agreement,beyond_floor\n";
  for (const ScheduleFigures& figures : report.summary.schedules) {
    csv << csvField(figures.schedule.text()) << ',' << report.summary.pictures << ','
        << field(figures.all.meanIou, kDigits) << ',' << field(figures.all.pixelAccuracy, kDigits)
        << ',' << field(figures.all.meanAccuracy, kDigits) << ','
        << field(figures.edges.meanIou, kDigits) << ','
        << field(figures.edges.pixelAccuracy, kDigits) << ',' << rowsField(figures.rows) << ','
        << field(figures.merged, kDigits) << ',' << field(figures.networkMs, 3) << ','
        << field(figures.ms, 3) << ',' << field(figures.ratio, 4) << ','
        << field(figures.agreement, kDigits) << ',' << field(figures.beyondFloor, kDigits) << '\n';
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
