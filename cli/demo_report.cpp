// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_day.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "cli/chart/canvas.h"
#include "cli/chart/chart.h"
#include "cli/wording.h"
#include "segment/pictures.h"
#include "tune/median.h"

namespace mpm::cli {
namespace {

struct Sum {
  std::vector<double> full, merged;
  double agreement = 0, before = 0, after = 0;
  std::size_t frames = 0;
};

Sum sumOf(const DemoDay& day, DemoLight light) {
  Sum sum;
  for (const DemoFrame& frame : day.frames) {
    if (demoLightOf(frame) != light) continue;
    ++sum.frames;
    sum.full.push_back(frame.fullMs), sum.merged.push_back(frame.mergedMs);
    sum.agreement += frame.agreement;
    sum.before += frame.rows.front(), sum.after += frame.rows.back();
  }
  return sum;
}

std::string shareText(double share, int digits) { return numberText(100 * share, digits) + "%"; }

std::string meanIou(const std::vector<evaluate::Confusion>& confusions, DemoLight light) {
  if (confusions.empty()) return "-";
  const double iou = evaluate::qualityOf(confusions[static_cast<std::size_t>(light)]).meanIou;
  return numberText(iou, 3);
}

std::string clockText(double hour) {
  const int minutes = static_cast<int>(std::lround(hour * 60));
  return cv::format("%d:%02d", minutes / 60, minutes % 60);
}

// What the times stand on.
std::string footnote(const DemoDay& day) {
  return "Times are medians from frame to labels, on " +
         (day.device.empty() ? "" : day.device + " and ") + countText(day.threads, "thread") +
         ".\n";
}

}  // namespace

std::string demoTable(const DemoDay& day) {
  std::vector<std::vector<std::string>> rows = {{"light", "frames", "mIoU, full", "mIoU, merged",
                                                 "same labels", "live rows", "merged away", "full",
                                                 "merged"}};
  for (int i = 0; i < kDemoLights; ++i) {
    const auto light = static_cast<DemoLight>(i);
    const Sum sum = sumOf(day, light);
    if (sum.frames == 0) continue;
    const auto count = static_cast<double>(sum.frames);
    rows.push_back({nameOf(light), std::to_string(sum.frames), meanIou(day.full, light),
                    meanIou(day.merged, light), shareText(sum.agreement / count, 1),
                    numberText(sum.before / count, 0) + " > " + numberText(sum.after / count, 0),
                    shareText(1 - sum.after / sum.before, 1), msText(tune::median(sum.full)),
                    msText(tune::median(sum.merged))});
  }
  return tableText(rows, "lrrrrrrrr") + footnote(day);
}

std::string demoLine(const DemoFrame& frame) {
  return cv::format("%5s  %-8s  %s rows  %s full  %s merged  %s same labels",
                    clockText(frame.hour).c_str(), nameOf(demoLightOf(frame)),
                    rowsText(frame.rows).c_str(), msText(frame.fullMs).c_str(),
                    msText(frame.mergedMs).c_str(), shareText(frame.agreement, 1).c_str());
}

std::string demoJson(const DemoDay& day) {
  nlohmann::json json;
  json["schedule"] = day.schedule.blocks();
  json["threads"] = day.threads;
  if (!day.device.empty()) json["device"] = day.device;
  for (const DemoFrame& frame : day.frames) {
    json["frames"].push_back({{"hour", frame.hour},
                              {"light", nameOf(demoLightOf(frame))},
                              {"rows", frame.rows},
                              {"agreement", frame.agreement},
                              {"full_ms", frame.fullMs},
                              {"merged_ms", frame.mergedMs}});
  }
  for (std::size_t i = 0; i < day.full.size(); ++i) {
    const evaluate::Quality full = evaluate::qualityOf(day.full[i]);
    const evaluate::Quality merged = evaluate::qualityOf(day.merged[i]);
    json["lights"][nameOf(static_cast<DemoLight>(i))] = {{"miou_full", full.meanIou},
                                                         {"miou_merged", merged.meanIou}};
  }
  return jsonText(json);
}

namespace {

constexpr int kGap = 12, kCaption = 34;

// A picture under its words.
cv::Mat captioned(const cv::Mat& picture, const std::string& words) {
  Canvas caption(cv::Size(picture.cols, kCaption));
  caption.text(words, {2, kCaption / 2.0}, Align::left, 17, cv::Scalar(52, 44, 38));
  cv::Mat both;
  cv::vconcat(caption.picture(), picture, both);
  return both;
}

// Two by two, on white.
cv::Mat square(const std::vector<cv::Mat>& parts) {
  const cv::Size one = parts.front().size();
  cv::Mat all(2 * one.height + 3 * kGap, 2 * one.width + 3 * kGap, CV_8UC3, cv::Scalar::all(255));
  for (int i = 0; i < 4; ++i) {
    const cv::Point at(kGap + i % 2 * (one.width + kGap), kGap + i / 2 * (one.height + kGap));
    parts[static_cast<std::size_t>(i)].copyTo(all(cv::Rect(at, one)));
  }
  return all;
}

}  // namespace

cv::Mat demoPicture(const DemoMoment& moment, const std::vector<cv::Vec3b>& palette) {
  return square({captioned(moment.picture, clockText(moment.hour)),
                 captioned(drawMergeMap(moment.picture, moment.mergeMap),
                           "merged tokens: " + rowsText(moment.rows) + " rows"),
                 captioned(drawOverlay(moment.picture, moment.fullLabels, palette), "full tokens"),
                 captioned(drawOverlay(moment.picture, moment.labels, palette), "with merging")});
}

cv::Mat demoChart(const DemoDay& day) {
  HoursChart chart;
  chart.title = "Live rows over a day";
  chart.subtitle = "one street; dark ground: night";
  chart.yTitle = "live rows";
  chart.lines.resize(day.schedule.size());
  for (std::size_t merge = 0; merge < day.schedule.size(); ++merge) {
    chart.lines[merge].name = "after block " + std::to_string(day.schedule[merge] - 1);
  }
  for (const DemoFrame& frame : day.frames) {
    chart.hours.push_back(frame.hour);
    chart.light.push_back(frame.daylight);
    for (std::size_t merge = 0; merge < chart.lines.size(); ++merge) {
      chart.lines[merge].values.push_back(frame.rows[merge + 1]);
    }
  }
  return drawHours(chart);
}

}  // namespace mpm::cli
