// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/proto.h"

namespace mpm::onnx {

// Values of a tensor in row-major order: a view of the file's own bytes where they are float32
// already, else a converted copy. A view lives as long as the constant in its Model.
class Floats {
 public:
  Floats(const float* view, std::size_t size) : view_(view), size_(size) {}
  explicit Floats(std::vector<float> owned) : owned_(std::move(owned)), size_(owned_.size()) {}

  const float* data() const { return view_ ? view_ : owned_.data(); }
  std::size_t size() const { return size_; }
  const float* begin() const { return data(); }
  const float* end() const { return data() + size_; }
  float operator[](std::size_t i) const { return data()[i]; }
  bool isView() const { return view_ != nullptr; }

 private:
  const float* view_ = nullptr;
  std::vector<float> owned_;
  std::size_t size_;
};

// float32, float64, float16 or bfloat16.
bool isFloatingType(std::int64_t type);

// A read-only view of a constant; it lives as long as the constant in its Model.
class Tensor {
 public:
  // Checks that dims are not negative, that their product is a number, that the data are here (not
  // in another file) and that they are as many as the dims say; else ModelError with both byte
  // counts. Types that the project never reads (4-bit integers, say) are checked when asked for.
  explicit Tensor(const ::onnx::TensorProto& proto);

  const std::string& name() const { return proto_->name(); }
  int type() const { return proto_->data_type(); }  // ::onnx::TensorProto::FLOAT and so on
  const std::vector<std::int64_t>& dims() const { return dims_; }
  std::int64_t count() const { return count_; }  // product of dims; 1 for a scalar
  bool isFloating() const;                       // floats() would give values
  bool isInteger() const;                        // integers() would give values
  const ::onnx::TensorProto& proto() const { return *proto_; }

  // float32, float64 (rounded), float16, bfloat16; ModelError for any other type.
  Floats floats() const;

  // int8 to int64, uint8 to uint32, bool; ModelError for any other type.
  std::vector<std::int64_t> integers() const;

 private:
  const ::onnx::TensorProto* proto_;
  std::vector<std::int64_t> dims_;
  std::int64_t count_ = 1;
};

// New constants. values has as many elements as dims say.
::onnx::TensorProto floatTensor(const std::string& name, const std::vector<std::int64_t>& dims,
                                const float* values);
::onnx::TensorProto integerTensor(const std::string& name, const std::vector<std::int64_t>& dims,
                                  const std::vector<std::int64_t>& values);

// IEEE half precision and bfloat16, from their bits. Exact.
float fromHalf(std::uint16_t bits);
float fromBfloat16(std::uint16_t bits);

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
