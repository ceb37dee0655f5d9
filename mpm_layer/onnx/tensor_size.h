// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "onnx/proto.h"

namespace mpm::onnx {

// Bytes of one element in raw_data; 0 for types that have no whole number of them or are unknown.
int elementBytes(int type);

// "float32", "int64"; "type 77" for a number that ONNX does not name here.
std::string typeName(int type);

// Entries of the typed field that ONNX uses for this type (float_data, int32_data, ...), and how
// many of them make one element.
struct TypedField {
  std::int64_t entries;
  int entriesPerElement;
};
TypedField typedField(const ::onnx::TensorProto& proto);

// Product of dims. ModelError where one is negative or the product leaves 62 bits.
std::int64_t checkedCount(const ::onnx::TensorProto& proto);

// ModelError unless the data are here and fit `count` elements. Costs nothing and allocates
// nothing.
void checkData(const ::onnx::TensorProto& proto, std::int64_t count);

}  // namespace mpm::onnx
