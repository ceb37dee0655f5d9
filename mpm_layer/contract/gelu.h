// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace mpm {

/// Selects GELU, x times the normal distribution's integral up to x, or one of the two
/// approximations that trained networks use instead.
enum class Gelu {
  erf,    ///< x / 2 (1 + erf(x / sqrt 2))
  tanh,   ///< x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  quick,  ///< x / (1 + exp(-1.702 x))
};

inline constexpr Gelu kGelus[] = {Gelu::erf, Gelu::tanh, Gelu::quick};

/// Returns the name in a layer's attribute `gelu` and in descriptions of models.
constexpr const char* nameOf(Gelu kind) {
  switch (kind) {
    case Gelu::erf:
      return "erf";
    case Gelu::tanh:
      return "tanh";
    case Gelu::quick:
      break;
  }
  return "quick";
}

/// Returns std::nullopt for any other name.
constexpr std::optional<Gelu> geluNamed(std::string_view name) {
  for (const Gelu kind : kGelus) {
    if (name == nameOf(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace mpm
