// SPDX-License-Identifier: Apache-2.0
#include "secrets/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace mpm::secrets {
namespace {

constexpr std::string_view kHidden = "***";
constexpr auto kNone = std::string_view::npos;

// Pieces that names such as user-pw, accessToken or loginpas contain, and whole parts of names.
constexpr std::array<std::string_view, 9> kSecretPieces = {
    "pass", "pas", "pwd", "passwd", "secret", "token", "login", "credential", "auth"};
constexpr std::array<std::string_view, 12> kSecretParts = {
    "user", "username", "usr", "un", "u", "pw", "psw", "p", "key", "apikey", "sig", "signature"};

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return small;
}

bool isBlank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }
bool isInName(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-' ||
         letter == '.';
}

bool isSecretName(std::string_view name) {
  const std::string small = lower(name);
  for (const std::string_view piece : kSecretPieces) {
    if (small.find(piece) != std::string::npos) return true;
  }
  for (std::size_t start = 0; start <= small.size();) {
    const std::size_t end = std::min(small.find_first_of("-_.", start), small.size());
    const std::string_view part = std::string_view(small).substr(start, end - start);
    if (std::find(kSecretParts.begin(), kSecretParts.end(), part) != kSecretParts.end())
      return true;
    start = end + 1;
  }
  return false;
}

// Tells whether a value holds an encoded address with a login: "rtsp%3A%2F%2Fme%3Apw%40host".
bool holdsEncodedLogin(std::string_view value) {
  const std::string small = lower(value);
  return small.find("%3a%2f%2f") != std::string::npos && small.find("%40") != std::string::npos;
}

// Returns where the user and password of an address end, at an @. `start` is after "://". A
// password may hold any letter, since people forget to encode it, so too much may be hidden.
std::size_t endOfLogin(std::string_view text, std::size_t start) {
  const std::size_t end = static_cast<std::size_t>(
      std::find_if(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), isBlank) -
      text.begin());
  const std::string_view address = text.substr(start, end - start);
  std::size_t at = address.rfind('@');
  if (at == kNone || at == 0) return kNone;
  const std::string_view host = address.substr(0, address.find_first_of("/?#"));
  if (host.find('@') == kNone) {
    // An @ further on belongs to a path or query, unless a colon says that a password began.
    if (host.find(':') == kNone) return kNone;
    const std::size_t query = address.find('?');
    const std::size_t value = query == kNone ? kNone : address.find('=', query);
    if (value != kNone && value < at) at = address.substr(0, query).rfind('@');
    if (at == kNone) return kNone;
  }
  return start + at;
}

std::string withoutLogins(std::string_view text) {
  std::string shown;
  std::size_t done = 0;
  for (std::size_t scheme = text.find("://"); scheme != kNone; scheme = text.find("://", done)) {
    const std::size_t start = scheme + 3;
    shown += text.substr(done, start - done);
    done = start;
    const std::size_t at = endOfLogin(text, start);
    if (at == kNone) continue;
    shown += kHidden;
    done = at;
  }
  return shown.append(text.substr(done));
}

// Removes logins that have no scheme in front: "me:secret@host".
std::string withoutBareLogins(std::string_view text) {
  std::string shown;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start;
    while (end < text.size() && !isBlank(text[end])) ++end;
    std::string_view word = text.substr(start, end - start);
    const std::size_t at = word.rfind('@');
    const std::size_t colon = word.find(':');
    if (word.find("://") == kNone && at != kNone && at + 1 < word.size() && colon < at) {
      shown += kHidden;
      word.remove_prefix(at);
    }
    shown += word;
    while (end < text.size() && isBlank(text[end])) shown += text[end++];
    start = end;
  }
  return shown;
}

// Returns the end of the value that begins at `start`. In a query it ends at the next part's &.
std::size_t endOfValue(std::string_view text, std::size_t start, bool inQuery) {
  const char quote =
      start < text.size() && (text[start] == '"' || text[start] == '\'') ? text[start] : '\0';
  std::size_t end = quote != '\0' ? start + 1 : start;
  for (; end < text.size(); ++end) {
    if (text[end] == '\\' && end + 1 < text.size()) {
      ++end;
    } else if (quote != '\0') {
      if (text[end] == quote) return end + 1;
    } else if (isBlank(text[end]) || (inQuery && (text[end] == '&' || text[end] == '"'))) {
      break;
    }
  }
  return std::min(end, text.size());
}

std::string withoutValues(std::string_view text) {
  std::string shown;
  std::size_t done = 0;
  for (std::size_t equals = text.find('='); equals != kNone; equals = text.find('=', done)) {
    std::size_t nameEnd = equals;
    while (nameEnd > done && isBlank(text[nameEnd - 1])) --nameEnd;
    std::size_t name = nameEnd;
    while (name > done && isInName(text[name - 1])) --name;
    const bool inQuery = name > 0 && (text[name - 1] == '?' || text[name - 1] == '&');
    std::size_t value = equals + 1;
    while (value < text.size() && isBlank(text[value])) ++value;
    const std::size_t end = endOfValue(text, value, inQuery);
    const bool hide = end > value && (isSecretName(text.substr(name, nameEnd - name)) ||
                                      holdsEncodedLogin(text.substr(value, end - value)));
    const std::size_t next = hide ? end : equals + 1;
    shown += text.substr(done, (hide ? value : next) - done);
    if (hide) shown += kHidden;
    done = next;
  }
  return shown.append(text.substr(done));
}

// Hides "Authorization: Basic bWU6c2VjcmV0" to the end of its line.
std::string withoutHeaders(const std::string& text) {
  const std::string small = lower(text);
  std::string shown;
  std::size_t done = 0;
  for (std::size_t header = small.find("authorization:"); header != std::string::npos;
       header = small.find("authorization:", done)) {
    const std::size_t value = small.find(':', header) + 1;
    shown.append(text, done, value - done).append(" ").append(kHidden);
    done = std::min(text.find_first_of("\r\n", value), text.size());
  }
  return shown.append(text, done);
}

}  // namespace

bool holdsPassword(const std::string& text) {
  const std::size_t scheme = text.find("://"), start = scheme + 3;
  const std::size_t at = scheme == kNone ? kNone : endOfLogin(text, start);
  const bool isUserAlone = at != kNone && text.substr(start, at - start).find(':') == kNone;
  const std::string rest = isUserAlone ? text.substr(0, start) + text.substr(at + 1) : text;
  return withoutSecrets(rest) != rest;
}

void keepFFmpegQuiet() {
  static const bool isDone = setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0) == 0;
  static_cast<void>(isDone);
}

std::string withoutSecrets(const std::string& text) {
  return withoutHeaders(withoutValues(withoutBareLogins(withoutLogins(text))));
}

}  // namespace mpm::secrets
