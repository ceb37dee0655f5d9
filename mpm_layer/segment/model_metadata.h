// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <opencv2/core/matx.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/export.h"

namespace mpm::segment {

/// Facts that a program needs about a model and that ONNX has no place for. A fact that is not
/// stated is missing.
struct ModelMetadata {
  std::optional<cv::Vec3f> mean, std;  ///< in the model's channel order, of values from 0 to 1
  std::optional<bool> rgb;
  std::vector<std::string> classes;
  std::vector<cv::Vec3b> palette;  ///< BGR
};

/// Tells whether a number can be a mean or std of colours from 0 to 1. One for colours from 0 to
/// 255 cannot, and would silently make every label wrong.
MPM_API bool fitsColours(double number, bool isStd);

/// Returns what to expect of three such numbers; `example` shows how they are written there.
MPM_API std::string expectedColours(bool isStd, const std::string& example);

/// Reads a file's metadata with the keys of models/export/metadata.py; ignores other entries.
/// Throws std::runtime_error with `name` if one is not understood.
MPM_API ModelMetadata parseMetadata(const std::map<std::string, std::string>& metadata,
                                    const std::string& name);

/// Reads a .toml: mean = [0.5, 0.5, 0.5], std, channel_order = "RGB", classes = ["road", ...] and
/// palette = ["#804080", ...], each optional. Throws std::runtime_error with the file and the line
/// if it finds anything else.
MPM_API ModelMetadata readTomlMetadata(const std::string& path);

/// Returns metadata entries for the facts that are stated.
MPM_API std::map<std::string, std::string> metadataEntries(const ModelMetadata& facts);

/// Reads the .toml next to a model file (model.toml for model.onnx); nothing if there is none.
MPM_API ModelMetadata tomlMetadataBeside(const std::string& path);

/// Returns a file's metadata, overridden by what tomlMetadataBeside returns.
MPM_API ModelMetadata modelMetadata(const std::string& path,
                                    const std::map<std::string, std::string>& metadata);

/// Parses #rrggbb; std::nullopt if it is not that.
MPM_API std::optional<cv::Vec3b> parseColour(const std::string& text);

/// Returns colours (BGR) that the eye tells apart. Of a fixed choice, each is the one furthest in
/// CIELAB from black, white and all before it, so the first ones differ most. A longer palette
/// begins with a shorter one. Colours repeat after the 256th.
MPM_API std::vector<cv::Vec3b> distinctColours(std::size_t count);

}  // namespace mpm::segment
