// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "models/scenes/camera.h"

namespace mpm::scenes {

/// What the parts of a scene's address are made of; nothing where a text is none.
std::optional<std::uint64_t> seedOf(const std::string& text);   ///< "7"
std::optional<double> hourOf(const std::string& text);          ///< "17.5": from 0 to 24
std::optional<double> clockOf(const std::string& text);         ///< "600x": from 0.001x to 100000x
std::optional<cv::Size> sizeOf(const std::string& text);        ///< "640x480", of a camera's size
std::optional<WeatherKind> weatherOf(const std::string& text);  ///< "fair", "rain", "snow", "fog"
const char* nameOf(WeatherKind kind);                           ///< "changing", "fair", ...

}  // namespace mpm::scenes
