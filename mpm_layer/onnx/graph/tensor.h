// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/proto.h"

namespace mpm::onnx {

// Values of a tensor in row-major order: a view of the file's bytes if they are float32 already,
// else a converted copy. A view lives as long as the constant in its Model.
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

// Matches float32, float64, float16 and bfloat16.
bool isFloatingType(std::int64_t type);

// A read-only view of a constant; it lives as long as the constant in its Model.
class Tensor {
 public:
  // Checks that dims are not negative, their product does not overflow, and the data are in this
  // file and fit. Otherwise throws a ModelError with both byte counts. Types that the project never
  // reads (4-bit integers, say) are checked on use.
  explicit Tensor(const ::onnx::TensorProto& proto);

  const std::string& name() const { return proto_->name(); }
  int type() const { return proto_->data_type(); }  // ::onnx::TensorProto::FLOAT and so on
  const std::vector<std::int64_t>& dims() const { return dims_; }
  std::int64_t count() const { return count_; }  // product of dims; 1 for a scalar
  bool isFloating() const;                       // floats() would give values
  bool isInteger() const;                        // integers() would give values
  const ::onnx::TensorProto& proto() const { return *proto_; }

  // Takes float32, float64 (rounded), float16, bfloat16; throws a ModelError for other types.
  Floats floats() const;

  // Takes int8 to int64, uint8 to uint32, bool; throws a ModelError for other types.
  std::vector<std::int64_t> integers() const;

 private:
  const ::onnx::TensorProto* proto_;
  std::vector<std::int64_t> dims_;
  std::int64_t count_ = 1;
};

// Make constants. values has as many elements as dims say.
::onnx::TensorProto floatTensor(const std::string& name, const std::vector<std::int64_t>& dims,
                                const float* values);
::onnx::TensorProto integerTensor(const std::string& name, const std::vector<std::int64_t>& dims,
                                  const std::vector<std::int64_t>& values);

// Convert IEEE half precision and bfloat16 from their bits. Exact.
float fromHalf(std::uint16_t bits);
float fromBfloat16(std::uint16_t bits);

// Returns the bytes of one element in raw_data; 0 for unknown types and parts of bytes.
int elementBytes(int type);

// Returns "float32", "int64"; "type 77" for a number without a name here.
std::string typeName(int type);

// Entries of the typed field that ONNX uses for this type (float_data, int32_data, ...), and how
// many of them make one element.
struct TypedField {
  std::int64_t entries;
  int entriesPerElement;
};
TypedField typedField(const ::onnx::TensorProto& proto);

// Returns the product of dims. Throws a ModelError if one is negative or it exceeds 62 bits.
std::int64_t checkedCount(const ::onnx::TensorProto& proto);

// Throws a ModelError unless the data are here and fit `count` elements. Costs and allocates
// nothing.
void checkData(const ::onnx::TensorProto& proto, std::int64_t count);

}  // namespace mpm::onnx
