// SPDX-License-Identifier: Apache-2.0
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "monitor/publish/prometheus_reader.h"

namespace mpm::monitor {
namespace {

std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
    } else {
      plain += text[++i] == 'n' ? '\n' : text[i];
    }
  }
  return plain;
}

Sample readSample(const std::string& line) {
  static const std::regex sampleForm(
      R"re(([a-zA-Z_:][\w:]*)(\{.*\})? ([-+]?(?:Inf|NaN|[\d.]+(?:e[-+]\d+)?)))re");
  static const std::regex labelForm(R"re([{,]([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)")re");
  std::smatch sample, label;
  if (!std::regex_match(line, sample, sampleForm)) throw std::runtime_error("no sample: " + line);
  Sample read{sample[1], {}, std::stod(sample[3])};
  std::string labels = sample[2];
  while (labels.size() > 1) {
    if (!std::regex_search(labels, label, labelForm, std::regex_constants::match_continuous))
      throw std::runtime_error("no label: " + line);
    if (!read.labels.emplace(label[1], unescaped(label[2])).second)
      throw std::runtime_error("a label twice: " + line);
    labels = label.suffix();
  }
  return read;
}

}  // namespace

std::map<std::string, ReadFamily> readExposition(const std::string& text) {
  static const std::regex headForm(R"(# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*))");
  std::map<std::string, ReadFamily> families;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> seen;
  std::string current;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto require = [&](bool holds, const std::string& rule) {
      if (!holds) throw std::runtime_error(rule + ": " + line);
    };
    std::smatch head;
    if (std::regex_match(line, head, headForm)) {
      const bool isHelp = head[1] == "HELP";
      require(isHelp ? families.count(head[2]) == 0 : head[2] == current, "a family in two pieces");
      current = head[2];
      (isHelp ? families[current].help : families[current].type) = head[3];
      continue;
    }
    const Sample sample = readSample(line);
    require(sample.name == current, "a sample outside its family");
    ReadFamily& family = families[current];
    require(family.type == "gauge" || family.type == "counter", "no TYPE in front");
    require(seen.emplace(sample.name, sample.labels).second, "a series twice");
    family.samples.push_back(sample);
  }
  return families;
}

double sampleOf(const std::map<std::string, ReadFamily>& families, const std::string& name,
                const std::map<std::string, std::string>& labels) {
  const auto family = families.find(name);
  if (family == families.end()) throw std::runtime_error("no family " + name);
  for (const Sample& sample : family->second.samples) {
    if (sample.labels == labels) return sample.value;
  }
  throw std::runtime_error("no sample of " + name + " with these labels");
}

}  // namespace mpm::monitor
