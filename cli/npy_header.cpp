// SPDX-License-Identifier: Apache-2.0
#include "cli/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mpm::cli {
namespace {

// The few words of Python that NumPy writes into a header.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    const std::size_t start = text_.find_first_not_of(" \t\n\r", at_);
    if (start == std::string_view::npos || text_.substr(start, word.size()) != word) return false;
    at_ = start + word.size();
    return true;
  }

  void expect(std::string_view word, const char* where) {
    if (!take(word)) throw std::runtime_error(std::string("has no '").append(word) + "' " + where);
  }

  bool atEnd() const { return text_.find_first_not_of(" \t\n\r", at_) == std::string_view::npos; }

  std::string string() {
    const char* quote = take("'") ? "'" : take("\"") ? "\"" : nullptr;
    const std::size_t end = quote == nullptr ? std::string_view::npos : text_.find(quote, at_);
    if (end == std::string_view::npos) {
      throw std::runtime_error("names neither a key nor a plain type, as 'descr': '<f4' does");
    }
    const std::string_view content = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(content);
  }

  bool boolean() {
    if (take("True")) return true;
    expect("False", "or 'True' behind 'fortran_order'");
    return false;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect("(", "behind 'shape'");
    while (!take(")")) {
      values.push_back(size());
      if (!take(",")) {
        expect(")", "behind the shape");
        break;
      }
    }
    return values;
  }

 private:
  std::int64_t size() {
    std::int64_t value = 0;
    const std::size_t start = std::min(text_.find_first_not_of(' ', at_), text_.size());
    const auto [end, error] =
        std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      throw std::runtime_error("has a size in its shape that is no whole number from 0 on");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parseNpyHeader(std::string_view text) {
  NpyHeader header;
  Reader reader(text);
  std::set<std::string> keys;
  reader.expect("{", "at its start");
  while (!reader.take("}")) {
    const std::string key = reader.string();
    reader.expect(":", "behind a key");
    if (!keys.insert(key).second) throw std::runtime_error("has '" + key + "' twice");
    if (key == "descr") {
      header.type = reader.string();
    } else if (key == "fortran_order") {
      header.fortranOrder = reader.boolean();
    } else if (key == "shape") {
      header.shape = reader.tuple();
    } else {
      throw std::runtime_error("has the unknown key '" + key + "'");
    }
    if (!reader.take(",")) {
      reader.expect("}", "at its end");
      break;
    }
  }
  if (keys.size() != 3) throw std::runtime_error("lacks one of descr, fortran_order and shape");
  if (!reader.atEnd()) throw std::runtime_error("goes on behind its '}'");
  return header;
}

}  // namespace mpm::cli
