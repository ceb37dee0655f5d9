// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

/// What something is, in 64 digits: to tell a model from another one.
namespace mpm::digest {

/// As `sha256sum` says it of a file with these bytes. `plainly`: without the instructions that a
/// processor may have for it.
std::string sha256Of(std::string_view bytes, bool plainly = false);

/// As `sha256sum FILE` says it. std::runtime_error where it cannot be read.
std::string fileSha256(const std::string& path);

/// Of a model's file, by "", and of what belongs to it, by the end of its name: of files whose
/// names begin with the model's, which hold weights (".data" of model.onnx.data, "_data"), and of
/// model.toml (".toml"). std::runtime_error where one cannot be read.
std::map<std::string, std::string> modelSha256(const std::string& path);

}  // namespace mpm::digest
