// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// To tell whether something is still what it was; no protection against somebody who wants to
/// deceive.
namespace mpm::evaluate {

/// 64 bits as 16 digits.
std::string hashOf(std::string_view bytes);

/// Of a model's file, and of what belongs to it: files whose names begin with its own, as
/// model.onnx.data or model.onnx_data, which hold weights, and model.toml.
/// std::runtime_error where one cannot be read.
std::string modelHash(const std::string& path);

}  // namespace mpm::evaluate
