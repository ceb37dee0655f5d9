// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <opencv2/core/types.hpp>
#include <string>
#include <vector>

#include "mpm/schedule.h"
#include "mpm/tune.h"

/// How the program says what the library knows.
namespace mpm::cli {

std::string shapeText(const std::vector<int>& shape);  ///< "[any x 3 x 48 x 64]"
std::string sizeText(const cv::Size& size);            ///< "64 x 48": width x height
std::string scheduleText(const Schedule& blocks);      ///< "before blocks 2 and 5"
std::string mergingText(const Schedule& blocks);       ///< "merge before 2,5", "full tokens"
/// A message of OpenCV's, which frames texts of several lines with "> " and " > ".
std::string withoutFrame(const std::string& text);

/// Rows of words under a head, in columns of their own width, two spaces apart. The first row is
/// the head. `layout` has a letter for each column: 'l' or 'r', left or right.
std::string tableText(const std::vector<std::vector<std::string>>& rows, const std::string& layout);

/// A number with this many digits behind its point: numberText(1.25, 1) is "1.2".
std::string numberText(double number, int digits);

/// Live rows before all merges and behind each: "1025 > 729 > 556"; "-" of none.
template <class Number>
std::string rowsText(const std::vector<Number>& rows) {
  std::string text;
  for (const Number count : rows)
    text += (text.empty() ? "" : " > ") + numberText(static_cast<double>(count), 0);
  return text.empty() ? "-" : text;
}

/// "1 thread", "8 threads".
std::string countText(std::size_t count, const std::string& what);

/// Milliseconds with as many digits as they are good for: "0.05 ms", "71.2 ms".
std::string msText(double ms);

/// Rounded to so many digits behind the point: three are more than any measurement here is good
/// for.
double rounded(double number, int digits = 3);

/// "12.3%", with this many digits after the point.
std::string shareText(double share, int digits);

/// "99.91%": rounded down, so that 99.996% is not all of it.
std::string percentText(double share);

/// What was chosen of these, and why, in a sentence without its end. `precisions` as
/// mpm::tunePrecisions gives them; none: nothing could be compared.
std::string precisionText(const std::string& chosen, const std::vector<TunedPrecision>& precisions);

/// As a file or a line holds it, with an end of line. Names come from files, whose bytes need not
/// be UTF-8: what is none is replaced. `indent` -1: in one line.
std::string jsonText(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace mpm::cli
