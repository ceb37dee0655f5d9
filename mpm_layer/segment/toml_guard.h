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

/// What toml++ 3.3 and 3.4 do not refuse but take for impossible, with an assertion or undefined
/// behaviour: letters beyond ASCII outside of quotes or behind a backslash, quotes and brackets
/// within a word, a second "=", a table's header without a name, and a "}" that closes nothing. Of
/// these only letters beyond ASCII behind a line's last backslash are TOML. Other faults are left
/// to toml++.
std::optional<TomlFault> guardToml(std::string_view text);

/// What toml++ says of a file, on one line: it quotes line breaks as they are ("saw 'f\n'").
std::string onOneLine(std::string_view description);

}  // namespace mpm::segment
