// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace mpm::cli {

/// "nan" and "inf" can be read as numbers, and no option means them.
inline std::string refuseNotFinite(const std::string& text) {
  return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is not a number";
}

/// Adds an option that takes a value, or a positional one. `type`: what --help calls the value.
template <class Value>
CLI::Option* addOption(CLI::App& command, const std::string& name, Value& value,
                       const std::string& type, const std::string& help) {
  CLI::Option* option = command.add_option(name, value, help)->type_name(type);
  if constexpr (std::is_floating_point_v<Value>) option->check(refuseNotFinite);
  return option;
}

/// Both ends included. --help does not tell them: the help's own words do where anybody needs them.
template <class Number>
CLI::Validator within(Number low, Number high) {
  return CLI::Range(low, high).description("");
}

/// The whole of `text` as a number; false where it is none.
template <class Number>
bool parseWhole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace mpm::cli
