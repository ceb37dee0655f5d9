// SPDX-License-Identifier: Apache-2.0
#pragma once

// ONNX's protobuf classes, in the namespace ::onnx (from inside mpm::onnx, write the leading
// colons).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::onnx {

using Node = ::onnx::NodeProto;

}  // namespace mpm::onnx
