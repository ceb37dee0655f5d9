// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onnx/graph/error.h"
#include "onnx/operators/known_tensor.h"

namespace mpm::test {
namespace {

using onnx::Integers;
using onnx::Tensor;
using ::onnx::TensorProto;

TensorProto tensor(int type, const Integers& dims) {
  TensorProto proto;
  proto.set_name("t");
  proto.set_data_type(type);
  for (const auto dim : dims) proto.add_dims(dim);
  return proto;
}

template <typename Raw>
TensorProto rawTensor(int type, const std::vector<Raw>& values) {
  auto proto = tensor(type, {static_cast<std::int64_t>(values.size())});
  proto.set_raw_data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Raw));
  return proto;
}

template <typename Run>
std::string sentence(Run run) {
  try {
    run();
  } catch (const onnx::ModelError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OnnxTensor, ViewsFloat32WithoutACopy) {
  const auto raw = rawTensor<float>(TensorProto::FLOAT, {1.5f, -2});
  const auto floats = Tensor(raw).floats();
  EXPECT_TRUE(floats.isView());
  EXPECT_EQ(static_cast<const void*>(floats.data()), raw.raw_data().data());
  EXPECT_EQ(floats[1], -2);
  auto typed = tensor(TensorProto::FLOAT, {1});
  typed.add_float_data(7);
  EXPECT_EQ(Tensor(typed).floats().data(), typed.float_data().data());
}

TEST(OnnxTensor, CopiesOfConvertedFloatsStayWhole) {
  onnx::Floats copy(std::vector<float>{});
  {
    const onnx::Floats first(std::vector<float>{1, 2});
    copy = first;
  }
  EXPECT_EQ(copy[1], 2);
}

TEST(OnnxTensor, ConvertsFloat64) {
  EXPECT_EQ(Tensor(rawTensor<double>(TensorProto::DOUBLE, {0.1})).floats()[0], 0.1f);
  auto typed = tensor(TensorProto::DOUBLE, {1});
  typed.add_double_data(0.25);
  EXPECT_EQ(Tensor(typed).floats()[0], 0.25f);
}

TEST(OnnxTensor, ConvertsHalfPrecision) {
  const std::vector<std::uint16_t> bits = {0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff,
                                           0x7c00, 0xfc00, 0x7e00, 0x8000, 0x0400};
  const auto proto = rawTensor(TensorProto::FLOAT16, bits);
  const auto floats = Tensor(proto).floats();
  EXPECT_EQ(floats[0], 1);
  EXPECT_EQ(floats[1], -2);
  EXPECT_EQ(floats[2], 0x1p-24f);
  EXPECT_EQ(floats[3], -1023 * 0x1p-24f);
  EXPECT_EQ(floats[4], 65504);
  EXPECT_EQ(floats[5], std::numeric_limits<float>::infinity());
  EXPECT_EQ(floats[6], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(floats[7]));
  EXPECT_TRUE(floats[8] == 0 && std::signbit(floats[8]));
  EXPECT_EQ(floats[9], 0x1p-14f);
  auto typed = tensor(TensorProto::FLOAT16, {1});
  typed.add_int32_data(0x3c00);
  EXPECT_EQ(Tensor(typed).floats()[0], 1);
}

TEST(OnnxTensor, ConvertsBfloat16) {
  const auto proto = rawTensor<std::uint16_t>(TensorProto::BFLOAT16, {0x3f80, 0xc040});
  EXPECT_EQ(Tensor(proto).floats()[0], 1);
  EXPECT_EQ(Tensor(proto).floats()[1], -3);
}

TEST(OnnxTensor, ReadsIntegersOfEveryWidth) {
  EXPECT_EQ(Tensor(rawTensor<std::int64_t>(TensorProto::INT64, {-5, 1})).integers(),
            (Integers{-5, 1}));
  EXPECT_EQ(Tensor(rawTensor<std::int32_t>(TensorProto::INT32, {-5})).integers(), Integers{-5});
  EXPECT_EQ(Tensor(rawTensor<std::int8_t>(TensorProto::INT8, {-5})).integers(), Integers{-5});
  EXPECT_EQ(Tensor(rawTensor<std::uint8_t>(TensorProto::UINT8, {250})).integers(), Integers{250});
  EXPECT_EQ(Tensor(rawTensor<std::uint8_t>(TensorProto::BOOL, {1, 0})).integers(),
            (Integers{1, 0}));
  auto typed = tensor(TensorProto::INT64, {2});
  typed.add_int64_data(std::numeric_limits<std::int64_t>::min());
  typed.add_int64_data(3);
  EXPECT_EQ(Tensor(typed).integers()[0], std::numeric_limits<std::int64_t>::min());
  auto unsigned32 = tensor(TensorProto::UINT32, {1});
  unsigned32.add_uint64_data(4000000000u);
  EXPECT_EQ(Tensor(unsigned32).integers(), Integers{4000000000});
}

TEST(OnnxTensor, ScalarsHaveOneElementAndEmptyOnesNone) {
  auto scalar = tensor(TensorProto::INT64, {});
  EXPECT_EQ(sentence([&] { Tensor{scalar}; }),
            "constant 't' holds 0 bytes, but its dims [] of int64 need 8");
  scalar.add_int64_data(9);
  EXPECT_EQ(Tensor(scalar).count(), 1);
  const auto none = tensor(TensorProto::FLOAT, {0, 4});
  EXPECT_EQ(Tensor(none).floats().size(), 0u);
}

TEST(OnnxTensor, RefusesTheWrongKind) {
  const auto floats = rawTensor<float>(TensorProto::FLOAT, {1});
  EXPECT_EQ(sentence([&] { Tensor(floats).integers(); }),
            "constant 't' is float32; whole numbers were expected");
  const auto integers = rawTensor<std::int64_t>(TensorProto::INT64, {1});
  EXPECT_EQ(sentence([&] { Tensor(integers).floats(); }),
            "constant 't' is int64; floating point was expected");
}

TEST(OnnxTensor, RefusesDataInTheWrongField) {
  auto proto = tensor(TensorProto::FLOAT, {1});
  proto.add_int32_data(1);
  EXPECT_EQ(sentence([&] { Tensor{proto}; }),
            "constant 't' holds 0 bytes, but its dims [1] of float32 need 4");
}

TEST(OnnxTensor, RefusesStringsThatAreTooFewAndSegments) {
  auto strings = tensor(TensorProto::STRING, {2});
  strings.add_string_data("one");
  EXPECT_EQ(sentence([&] { Tensor{strings}; }),
            "constant 't' holds 1 strings, but its dims [2] need 2");
  auto split = rawTensor<float>(TensorProto::FLOAT, {1});
  split.mutable_segment()->set_begin(0);
  EXPECT_EQ(sentence([&] { Tensor{split}; }),
            "constant 't' is split into segments, which are not supported");
}

}  // namespace
}  // namespace mpm::test
