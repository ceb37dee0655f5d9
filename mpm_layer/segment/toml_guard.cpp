// SPDX-License-Identifier: Apache-2.0
#include "segment/toml_guard.h"

#include <algorithm>
#include <utility>

namespace mpm::segment {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool beginsName(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-' || c == '"' || c == '\'';
}

bool isOdd(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code >= 127 || (code < 32 && c != '\t' && c != '\r' && c != '\n');
}

// Follows brackets, quotes and comments, and nothing else.
class Guard {
 public:
  explicit Guard(std::string_view text) : text_(text) {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = kByteOrderMark.size();
  }

  std::optional<TomlFault> fault() {
    bool atLineStart = true;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') continue;
      const bool first = atLineStart;
      atLineStart = c == '\n';
      if (c == '=' && std::exchange(isValue_, true)) return told("a second = follows the first");
      if (c == ',' && !open_.empty() && open_.back() == '{') isValue_ = false;
      if (c == '\n') {
        ++line_;
        if (open_.empty()) isValue_ = false;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (c == '"' || c == '\'') {
        if (!mayBegin()) return told("a text in quotes begins in the middle of a word");
        if (!skipQuoted(c)) return told("a \\ is followed by a letter that it cannot escape");
      } else if (isOdd(c)) {
        return told(
            "there is a character outside of quotes that is not a plain letter, digit or sign");
      } else if (c == '[' && first && open_.empty()) {
        if (!skipHeader()) {
          return told("a table has no name after its bracket, such as [name]");
        }
      } else if (c == '[' || c == '{') {
        if (!mayBegin()) return told("a bracket opens in the middle of a word");
        if (c == '{') isValue_ = false;
        open_ += c;
      } else if (c == '}' && (open_.empty() || open_.back() != '{')) {
        return told("there is a } without a {");
      } else if ((c == '}' || c == ']') && !open_.empty()) {
        open_.pop_back();
        isValue_ = true;
      }
    }
    return std::nullopt;
  }

 private:
  TomlFault told(std::string sentence) const { return {line_, std::move(sentence)}; }

  char next(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // After a word toml++ reads on up to a blank, for its message.
  bool mayBegin() const {
    constexpr std::string_view kBefore = " \t\n=[{,";
    return at_ == 0 || (text_[at_ - 1] == '.' && !isValue_) ||
           kBefore.find(text_[at_ - 1]) != std::string_view::npos ||
           text_.substr(0, at_) == kByteOrderMark;
  }

  // Skips to the closing quote; if there is none, to the end of what the string may hold.
  bool skipQuoted(char quote) {
    const bool isLong = next(1) == quote && next(2) == quote;
    const std::string closing(isLong ? 3 : 1, quote);
    for (at_ += closing.size(); at_ < text_.size(); ++at_) {
      if (text_.substr(at_, closing.size()) == closing) {
        at_ += closing.size() - 1;
        return true;
      }
      if (text_[at_] == '\n' && !isLong) break;
      if (text_[at_] == '\\' && quote == '"') {
        // At a line's end a backslash covers all blanks up to the next letter.
        const std::size_t letter = text_.find_first_not_of(" \t\r\n", at_ + 1);
        if (letter != std::string_view::npos && isOdd(text_[letter])) return false;
        if (next(1) != '\n') ++at_;
      }
      if (next(0) == '\n') ++line_;
    }
    --at_;
    return true;
  }

  // Skips the opening brackets. toml++ itself refuses a closing bracket right after them.
  bool skipHeader() {
    if (next(1) == '[') ++at_;
    while (next(1) == ' ' || next(1) == '\t') ++at_;
    return beginsName(next(1)) || next(1) == ']';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string open_;      // brackets of values that are not closed yet
  bool isValue_ = false;  // behind a =, where a point is a number's and no key's
};

}  // namespace

std::optional<TomlFault> guardToml(std::string_view text) { return Guard(text).fault(); }

std::string onOneLine(std::string_view description) {
  std::string line;
  for (const char c : description) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return line;
}

}  // namespace mpm::segment
