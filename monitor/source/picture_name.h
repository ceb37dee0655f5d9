// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::monitor {

/// Whether a file is a picture by its name: .jpg, .jpeg, .png, .bmp, .tif, .tiff, .webp, .pgm,
/// .ppm, .pnm, .jp2, in capitals too.
bool isPictureName(const std::string& path);

}  // namespace mpm::monitor
