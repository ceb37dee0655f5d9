// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Digests of 64 digits that tell one model from another.
namespace mpm::digest {

/// Returns what `sha256sum` prints for a file with these bytes. `plainly` avoids the instructions
/// that a processor may have for it.
std::string sha256Of(std::string_view bytes, bool plainly = false);

/// Returns what `sha256sum FILE` prints. Throws std::runtime_error if it cannot be read.
std::string fileSha256(const std::string& path);

/// Returns digests of a model's file, under "", and of those `files` that exist and belong to it
/// (see dnn/model_files.h). model.toml is under ".toml"; a file whose name begins with the model's
/// is under the rest of it (".data" for model.onnx.data, "_data"). Any other is under a blank and
/// its path from the model's folder (" weights.bin"). Throws std::runtime_error if one cannot be
/// read.
std::map<std::string, std::string> modelSha256(const std::string& path,
                                               const std::vector<std::string>& files);

}  // namespace mpm::digest
