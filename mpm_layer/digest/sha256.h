// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What something is, in 64 digits: to tell a model from another one.
namespace mpm::digest {

/// As `sha256sum` says it of a file with these bytes. `plainly`: without the instructions that a
/// processor may have for it.
std::string sha256Of(std::string_view bytes, bool plainly = false);

/// As `sha256sum FILE` says it. std::runtime_error where it cannot be read.
std::string fileSha256(const std::string& path);

/// Of a model's file, by "", and of those of `files` that are there and belong to it, as
/// dnn/model_files.h lists them: of model.toml by ".toml", of one whose name begins with the
/// model's by the rest of it (".data" of model.onnx.data, "_data"), of any other by its path from
/// the model's folder, behind a blank (" weights.bin"). std::runtime_error where one cannot be
/// read.
std::map<std::string, std::string> modelSha256(const std::string& path,
                                               const std::vector<std::string>& files);

}  // namespace mpm::digest
