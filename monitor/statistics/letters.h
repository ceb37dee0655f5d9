// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace mpm::monitor {

struct Letter {
  std::size_t bytes = 1;
  bool stays = false;  ///< whether it is a letter, a digit, '_' or '-'
};

/// The first character of a text in UTF-8 that is not empty. A byte that is none by the rules of
/// UTF-8 is a character of its own, and does not stay.
Letter firstLetter(std::string_view text);

}  // namespace mpm::monitor
