// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export_table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files/text.h"

namespace mpm::monitor {

std::string decimal(double value) {
  if (!std::isfinite(value)) return {};
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string decimal(std::optional<double> value) { return value ? decimal(*value) : std::string(); }

CsvLine& CsvLine::add(std::string_view field) {
  if (!isFirst_) line_ += ',';
  isFirst_ = false;
  line_ += files::csvField(field);
  return *this;
}

CsvLine& CsvLine::add(std::int64_t number) { return add(std::to_string(number)); }

void CsvLine::writeTo(std::ostream& out) {
  out << line_ << '\n';
  line_.clear();
  isFirst_ = true;
  checkWritten(out);
}

JsonList::JsonList(std::ostream& out, const JsonLine& head, std::string_view name) : out_(out) {
  std::string begin = head.text();
  begin.pop_back();
  out_ << begin << ',' << jsonString(name) << ":[";
}

void JsonList::add(const JsonLine& line) {
  out_ << (isFirst_ ? "\n" : ",\n") << line.text();
  isFirst_ = false;
  checkWritten(out_);
}

void JsonList::end() {
  out_ << "\n]}\n" << std::flush;
  checkWritten(out_);
}

void checkWritten(std::ostream& out) {
  if (!out) throw std::runtime_error("The export cannot be written: is the disk full?");
}

std::string jsonString(std::string_view text) {
  using Json = nlohmann::json;
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

JsonLine& JsonLine::addRaw(std::string_view name, std::string_view json) {
  if (line_.size() > 1) line_ += ',';
  line_ += jsonString(name);
  line_ += ':';
  line_ += json;
  return *this;
}

JsonLine& JsonLine::add(std::string_view name, std::string_view text) {
  return addRaw(name, jsonString(text));
}

JsonLine& JsonLine::add(std::string_view name, std::int64_t number) {
  return addRaw(name, std::to_string(number));
}

JsonLine& JsonLine::add(std::string_view name, bool value) {
  return addRaw(name, value ? "true" : "false");
}

JsonLine& JsonLine::addReal(std::string_view name, std::optional<double> value) {
  const std::string text = decimal(value);
  return addRaw(name, text.empty() ? "null" : text);
}

}  // namespace mpm::monitor
