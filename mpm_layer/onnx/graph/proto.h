// SPDX-License-Identifier: Apache-2.0
#pragma once

// ONNX's protobuf classes, in the namespace ::onnx (with leading colons inside mpm::onnx).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::onnx {

using Node = ::onnx::NodeProto;

}  // namespace mpm::onnx
