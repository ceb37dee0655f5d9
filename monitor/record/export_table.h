// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace mpm::monitor {

/// The shortest decimal that is read back as the same number; empty where it is not finite.
std::string decimal(double value);
std::string decimal(std::optional<double> value);

/// One line of CSV.
class CsvLine {
 public:
  CsvLine& add(std::string_view field);
  CsvLine& add(std::int64_t number);
  void writeTo(std::ostream& out);  ///< and begins anew; checked

 private:
  std::string line_;
  bool isFirst_ = true;
};

/// One object of JSON on one line, in the order in which it is told.
class JsonLine {
 public:
  JsonLine& add(std::string_view name, std::string_view text);
  JsonLine& add(std::string_view name, const char* text) {
    return add(name, std::string_view(text));
  }
  JsonLine& add(std::string_view name, std::int64_t number);
  JsonLine& add(std::string_view name, bool value);
  JsonLine& addReal(std::string_view name, std::optional<double> value);  ///< null if not finite
  JsonLine& addRaw(std::string_view name, std::string_view json);
  std::string text() const { return line_ + "}"; }

 private:
  std::string line_ = "{";
};

/// A JSON document: what is known beforehand, then a list whose lines come one by one. What the
/// stream does not take throws std::runtime_error, one sentence.
class JsonList {
 public:
  JsonList(std::ostream& out, const JsonLine& head, std::string_view name);
  void add(const JsonLine& line);
  void end();

 private:
  std::ostream& out_;
  bool isFirst_ = true;
};

void checkWritten(std::ostream& out);  ///< as JsonList does

std::string jsonString(std::string_view text);  ///< in quotes; invalid UTF-8 becomes U+FFFD

}  // namespace mpm::monitor
