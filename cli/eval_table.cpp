// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <utility>

#include "cli/eval_report.h"
#include "cli/wording.h"

namespace mpm::cli {
namespace {

using evaluate::Distances;
using evaluate::ScheduleFigures;
using evaluate::Summary;
using Rows = std::vector<std::vector<std::string>>;

std::string orDash(double number, const std::string& text) {
  return std::isnan(number) ? "-" : text;
}
std::string percentOrDash(double share) { return orDash(share, numberText(100 * share, 2)); }
std::string timeText(double ms) { return orDash(ms, msText(ms)); }

std::string nameInTable(const ScheduleFigures& figures) {
  return figures.schedule.empty() ? "(full tokens)" : figures.schedule.text();
}

std::string differenceText(const ScheduleFigures& figures, const ScheduleFigures* full) {
  if (full == nullptr || full == &figures) return "";
  const double points = 100 * (figures.all.meanIou - full->all.meanIou);
  return orDash(points, cv::format("%+.2f", points));
}

// Classes that neither truth nor any schedule has are left out.
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
  const bool hasSmall = !report.header.small.empty();
  const ScheduleFigures* full = evaluate::fullTokensOf(report.summary);
  Rows rows = {{"merge before", "mIoU", "", "pixels", "edges"}};
  std::vector<std::string> behind = {"live rows", "merged", "network", "a picture", "of full"};
  if (hasSmall) rows[0].push_back("small");
  rows[0].insert(rows[0].end(), behind.begin(), behind.end());
  for (const ScheduleFigures& figures : report.summary.schedules) {
    std::vector<std::string> row = {
        nameInTable(figures), percentOrDash(figures.all.meanIou), differenceText(figures, full),
        percentOrDash(figures.all.pixelAccuracy), percentOrDash(figures.edges.meanIou)};
    if (hasSmall) row.push_back(percentOrDash(figures.smallIou));
    behind = {rowsText(figures.rows),
              orDash(figures.merged, numberText(100 * figures.merged, 1) + "%"),
              timeText(figures.networkMs), timeText(figures.ms),
              orDash(figures.ratio, numberText(figures.ratio, 2))};
    row.insert(row.end(), behind.begin(), behind.end());
    rows.push_back(row);
  }
  return tableText(rows, std::string(hasSmall ? "lrrrrr" : "lrrrr") + "lrrrr");
}

std::vector<std::string> distanceRow(const std::string& name, const Distances& distances) {
  std::vector<std::string> row = {name};
  for (const double patches : toldDistances()) {
    const double share = evaluate::shareWithin(distances, patches);
    row.push_back(orDash(share, numberText(100 * share, 1)));
  }
  for (const double patches :
       {evaluate::medianDistance(distances), evaluate::meanDistance(distances)})
    row.push_back(orDash(patches, numberText(patches, 2)));
  return row;
}

std::string distanceTable(const EvalReport& report) {
  const Summary& summary = report.summary;
  if (summary.distancePictures == 0) return "";
  Rows rows = {{"% of pairs within, in patches"}};
  for (const double patches : toldDistances()) {
    const bool isWhole = patches == std::floor(patches);
    rows[0].push_back(numberText(patches, isWhole ? 0 : 2));
  }
  rows[0].insert(rows[0].end(), {"median", "mean"});
  for (const ScheduleFigures& figures : summary.schedules) {
    for (std::size_t i = 0; i < figures.distances.size(); ++i) {
      const std::string schedule = figures.schedule.text();
      rows.push_back(
          distanceRow(cv::format("%s: the merge before %d", schedule.c_str(), figures.schedule[i]),
                      figures.distances[i]));
    }
  }
  if (rows.size() == 1) return "";
  rows.push_back(distanceRow("pairs at random", summary.random));
  std::string layout(rows[0].size(), 'r');
  layout[0] = 'l';
  return "\n" + tableText(rows, layout);
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
  if (report.header.shard.count > 1) text += " of " + evaluate::nameOf(report.header.shard);
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

std::vector<double> toldDistances() { return {1, std::sqrt(2.0), 2, 3, 5, 10}; }

std::string evalTable(const EvalReport& report) {
  return headText(report) + '\n' + classTable(report) + '\n' + scheduleTable(report) +
         distanceTable(report);
}

std::string leftOutSentence(const Summary& summary) {
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

}  // namespace mpm::cli
