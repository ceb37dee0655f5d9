// SPDX-License-Identifier: Apache-2.0
#include "mpm/c_api.h"

#include <exception>
#include <opencv2/core/utils/logger.hpp>

#include "mpm/layers.h"

int mpm_register_layers(void) {
  try {
    mpm::registerLayers();
    return 0;
  } catch (const std::exception& error) {
    CV_LOG_ERROR(nullptr, "mpm: " << error.what());
    return -1;
  }
}
