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

/// What a program has to know of a model, and ONNX has no place for. Whatever is not said is not
/// there.
struct ModelMetadata {
  std::optional<cv::Vec3f> mean, std;  ///< in the model's channel order, of values from 0 to 1
  std::optional<bool> rgb;
  std::vector<std::string> classes;
  std::vector<cv::Vec3b> palette;  ///< BGR
};

/// Whether a number can be the mean, or the std, of colours from 0 to 1. One of colours from 0 to
/// 255 cannot, and with it every label would be wrong without a word.
MPM_API bool fitsColours(double number, bool isStd);

/// What is expected of three such numbers; `example` as they are written there.
MPM_API std::string expectedColours(bool isStd, const std::string& example);

/// From a file's metadata, spelt as models/export/metadata.py writes it; entries of others are let
/// be. std::runtime_error with `name` where one is not understood.
MPM_API ModelMetadata parseMetadata(const std::map<std::string, std::string>& metadata,
                                    const std::string& name);

/// From a .toml: mean = [0.5, 0.5, 0.5], std, channel_order = "RGB", classes = ["road", ...] and
/// palette = ["#804080", ...], each of which may be left out. std::runtime_error with the file and
/// the line where something else stands there.
MPM_API ModelMetadata readTomlMetadata(const std::string& path);

/// The same as metadata: entries for what is said alone.
MPM_API std::map<std::string, std::string> metadataEntries(const ModelMetadata& facts);

/// What a .toml of a model's name says, beside its file (model.toml beside model.onnx); nothing if
/// there is none.
MPM_API ModelMetadata tomlMetadataBeside(const std::string& path);

/// What is known of the model in a file: its metadata, and instead of it what tomlMetadataBeside
/// says.
MPM_API ModelMetadata modelMetadata(const std::string& path,
                                    const std::map<std::string, std::string>& metadata);

/// #rrggbb; nothing where it is not.
MPM_API std::optional<cv::Vec3b> parseColour(const std::string& text);

/// Colours (BGR) that the eye tells apart: each is, of a fixed choice of colours, the one furthest
/// in CIELAB from black, white and all that stand before it, so that the first ones differ most. A
/// longer palette begins with a shorter one. Behind the 256th they come again.
MPM_API std::vector<cv::Vec3b> distinctColours(std::size_t count);

}  // namespace mpm::segment
