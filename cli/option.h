// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mpm::cli {

/// Adds an option that takes a value, or a positional one. `type`: what --help calls the value.
template <class Value>
CLI::Option* addOption(CLI::App& command, const std::string& name, Value& value,
                       const std::string& type, const std::string& help) {
  return command.add_option(name, value, help)->type_name(type);
}

/// Both ends included. --help does not tell them: the help's own words do where anybody needs them.
template <class Number>
CLI::Validator within(Number low, Number high) {
  return CLI::Range(low, high).description("");
}

}  // namespace mpm::cli
