/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "mpm/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the layer types of mpm/layers.h known to cv::dnn in this process, for programs that load
 * the library at run time, such as through Python's ctypes. Returns 0, or -1 if that fails;
 * OpenCV's log then says why. Never throws. */
MPM_API int mpm_register_layers(void);

#ifdef __cplusplus
}
#endif
