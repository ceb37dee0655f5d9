// SPDX-License-Identifier: Apache-2.0
#pragma once

// The protobuf classes that OpenCV's importer was compiled with, under the name that ONNX's own
// have.
#include <opencv-onnx.pb.h>

namespace onnx = opencv_onnx;
