// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <sstream>

#include "cli/eval_report.h"
#include "cli/table.h"

namespace mpm::cli {
namespace {

using evaluate::ScheduleFigures;

constexpr int kDigits = 6;  // of a share

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

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
    csv << quoted(evaluate::nameOf(figures.schedule)) << ',' << report.summary.pictures << ','
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
      csv << quoted(evaluate::nameOf(figures.schedule)) << ',' << k << ','
          << quoted(report.header.classes[k]) << ',' << figures.all.pixels[k] << ','
          << field(figures.all.iou[k], kDigits) << ',' << field(figures.all.accuracy[k], kDigits)
          << ',' << field(figures.edges.iou[k], kDigits) << '\n';
    }
  }
  return csv.str();
}

}  // namespace mpm::cli
