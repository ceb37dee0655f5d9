// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/prometheus_reader.h"

#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace mpm::monitor {
namespace {

class Line {
 public:
  explicit Line(const std::string& text) : text_(text) {}

  [[noreturn]] void fail(const std::string& rule) const {
    throw std::runtime_error(rule + ": " + text_);
  }
  bool atEnd() const { return at_ == text_.size(); }
  char peek() const { return atEnd() ? '\0' : text_[at_]; }
  void expect(char c) {
    if (peek() != c) fail(std::string("expected ") + c + " at " + std::to_string(at_));
    ++at_;
  }
  std::string rest() { return text_.substr(std::exchange(at_, text_.size())); }

  std::string name(bool withColons) {
    std::string name;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_' ||
           (withColons && peek() == ':')) {
      name += text_[at_++];
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) fail("not a name");
    return name;
  }

  std::string quoted() {
    expect('"');
    std::string value;
    while (peek() != '"') {
      if (atEnd()) fail("a label without an end");
      char c = text_[at_++];
      if (c == '\\') {
        c = peek();
        if (c != '\\' && c != '"' && c != 'n') fail("an unknown escape");
        ++at_;
        if (c == 'n') c = '\n';
      }
      value += c;
    }
    expect('"');
    return value;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

double numberOf(Line& line) {
  const std::string text = line.rest();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || text.front() == ' ') line.fail("not a number");
  return value;
}

Sample readSample(Line& line) {
  Sample sample;
  sample.name = line.name(true);
  if (line.peek() == '{') {
    line.expect('{');
    while (true) {
      const std::string label = line.name(false);
      line.expect('=');
      if (!sample.labels.emplace(label, line.quoted()).second) line.fail("a label twice");
      if (line.peek() != ',') break;
      line.expect(',');
    }
    line.expect('}');
  }
  line.expect(' ');
  sample.value = numberOf(line);
  return sample;
}

}  // namespace

std::map<std::string, ReadFamily> readExposition(const std::string& text) {
  if (text.empty() || text.back() != '\n') throw std::runtime_error("the last line has no end");
  std::map<std::string, ReadFamily> families;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> seen;
  std::string current;
  std::istringstream lines(text);
  for (std::string raw; std::getline(lines, raw);) {
    Line line(raw);
    if (raw.starts_with("# HELP ") || raw.starts_with("# TYPE ")) {
      const bool isHelp = raw[2] == 'H';
      for (int i = 0; i < 7; ++i) line.expect(raw[static_cast<std::size_t>(i)]);
      const std::string name = line.name(true);
      line.expect(' ');
      if (isHelp && families.count(name) != 0) line.fail("a family in two pieces");
      if (!isHelp && (name != current || !families[name].type.empty()))
        line.fail("TYPE out of place");
      current = name;
      (isHelp ? families[name].help : families[name].type) = line.rest();
      continue;
    }
    const Sample sample = readSample(line);
    if (sample.name != current) line.fail("a sample outside its family");
    if (families[current].type != "gauge" && families[current].type != "counter")
      line.fail("no TYPE in front");
    if (!seen.emplace(sample.name, sample.labels).second) line.fail("a series twice");
    families[current].samples.push_back(sample);
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
