// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mpm::segment {

struct TomlFault {
  int line = 1;
  std::string sentence;
};

/// Finds what toml++ 3.3 and 3.4 take for impossible, with an assertion or undefined behaviour.
/// That is letters beyond ASCII outside quotes or after a backslash, quotes or brackets within a
/// word, and a second "=". It is also a table header without a name, and a "}" that closes nothing.
/// Only letters beyond ASCII after a line's last backslash are valid TOML. toml++ reports the rest.
std::optional<TomlFault> guardToml(std::string_view text);

/// Puts toml++'s description on one line; it quotes line breaks as they are ("saw 'f\n'").
std::string onOneLine(std::string_view description);

}  // namespace mpm::segment
