// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mpm::monitor {

struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct ReadFamily {
  std::string help, type;
  std::vector<Sample> samples;
};

/// Reads Prometheus' text format, version 0.0.4, by its specification and strictly: HELP and TYPE
/// once and in front, a family in one piece, names and escapes as allowed, no series twice.
/// std::runtime_error says which line breaks which rule.
std::map<std::string, ReadFamily> readExposition(const std::string& text);

/// The value of the one sample with exactly these labels; std::runtime_error where there is none.
double sampleOf(const std::map<std::string, ReadFamily>& families, const std::string& name,
                const std::map<std::string, std::string>& labels);

}  // namespace mpm::monitor
