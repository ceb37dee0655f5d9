// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <opencv2/core/types.hpp>
#include <string>
#include <vector>

#include "mpm/schedule.h"
#include "mpm/tune.h"

/// Words for what the library reports.
namespace mpm::cli {

std::string shapeText(const std::vector<int>& shape);  ///< "[any x 3 x 48 x 64]"
std::string sizeText(const cv::Size& size);            ///< "64 x 48": width x height
std::string scheduleText(const Schedule& blocks);      ///< "before blocks 2 and 5"
std::string mergingText(const Schedule& blocks);       ///< "merge before 2,5", "unmerged"
/// Removes the "> " and " > " with which OpenCV frames messages of several lines.
std::string withoutFrame(const std::string& text);

/// Formats rows of words in aligned columns, two spaces apart. The first row is the head. `layout`
/// has a letter for each column: 'l' or 'r', left or right.
std::string tableText(const std::vector<std::vector<std::string>>& rows, const std::string& layout);

/// Formats a number with this many digits after its point: numberText(1.25, 1) is "1.2".
std::string numberText(double number, int digits);

/// Formats live rows before all merges and after each: "1025 > 729 > 556"; "-" for none.
template <class Number>
std::string rowsText(const std::vector<Number>& rows) {
  std::string text;
  for (const Number count : rows)
    text += (text.empty() ? "" : " > ") + numberText(static_cast<double>(count), 0);
  return text.empty() ? "-" : text;
}

/// Returns "1 thread", "8 threads".
std::string countText(std::size_t count, const std::string& what);

/// Formats milliseconds with as many digits as they deserve: "0.05 ms", "71.2 ms".
std::string msText(double ms);

/// Rounds to this many digits after the point; measurements here merit three at most.
double rounded(double number, int digits = 3);

/// Returns "12.3%", with this many digits after the point.
std::string shareText(double share, int digits);

/// Returns "99.91%", rounded down, so that 99.996% is not all of it.
std::string percentText(double share);

/// Says which of these was chosen, and why, in a sentence without its end. `precisions` come from
/// mpm::tunePrecisions; empty if nothing could be compared.
std::string precisionText(const std::string& chosen, const std::vector<TunedPrecision>& precisions);

/// Serialises JSON with an end of line. Replaces invalid UTF-8, since names come from files. An
/// `indent` of -1 gives one line.
std::string jsonText(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace mpm::cli
