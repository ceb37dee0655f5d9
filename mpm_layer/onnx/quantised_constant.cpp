// SPDX-License-Identifier: Apache-2.0
#include "onnx/quantised.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "onnx/attribute.h"

namespace mpm::onnx {
namespace {

using Numbers = std::vector<std::int64_t>;

// By ONNX's numbers, since older headers lack them.
constexpr int kUint4 = 21, kInt4 = 22;

// Two in a byte, the first in its lower half; nothing where there are not as many bytes.
std::optional<Numbers> halfBytes(const Tensor& tensor) {
  const ::onnx::TensorProto& proto = tensor.proto();
  const auto count = static_cast<std::size_t>(tensor.count());
  const bool isRaw = proto.has_raw_data();
  const std::size_t bytes =
      isRaw ? proto.raw_data().size() : static_cast<std::size_t>(proto.int32_data_size());
  if (bytes != count / 2 + count % 2) return std::nullopt;
  Numbers numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned byte = isRaw ? static_cast<unsigned char>(proto.raw_data()[i / 2])
                                : static_cast<unsigned>(proto.int32_data(static_cast<int>(i / 2)));
    const auto half = static_cast<int>(byte >> (i % 2 * 4) & 15U);
    numbers[i] = tensor.type() == kInt4 && half > 7 ? half - 16 : half;
  }
  return numbers;
}

std::optional<Numbers> numbersOf(const Model& model, const std::string& constant) {
  const std::optional<Tensor> tensor = model.constant(constant);
  if (!tensor) return std::nullopt;
  switch (tensor->type()) {
    case ::onnx::TensorProto::INT8:
    case ::onnx::TensorProto::UINT8:
    case ::onnx::TensorProto::INT16:
    case ::onnx::TensorProto::UINT16:
    case ::onnx::TensorProto::INT32:
      return tensor->integers();
    case kUint4:
    case kInt4:
      return halfBytes(*tensor);
    default:
      return std::nullopt;
  }
}

// Which of the scales belongs to each element.
class Scaling {
 public:
  // false: they fit no axis.
  bool lay(const Numbers& dims, const Tensor& scale, std::int64_t axis, std::int64_t block) {
    if (scale.count() == 1) return true;
    const auto rank = static_cast<std::int64_t>(dims.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || block < 0) return false;
    const std::int64_t size = dims[static_cast<std::size_t>(axis)];
    for (std::int64_t i = axis + 1; i < rank; ++i) inner_ *= dims[static_cast<std::size_t>(i)];
    size_ = size;
    if (block == 0) return scale.count() == size;
    block_ = block;
    groups_ = size / block + (size % block != 0 ? 1 : 0);
    Numbers expected = dims;
    expected[static_cast<std::size_t>(axis)] = groups_;
    return scale.dims() == expected;
  }

  std::size_t at(std::int64_t element) const {
    if (size_ == 0) return 0;  // one for all
    const std::int64_t along = element / inner_ % size_;
    if (block_ == 0) return static_cast<std::size_t>(along);
    const std::int64_t outer = element / inner_ / size_;
    return static_cast<std::size_t>((outer * groups_ + along / block_) * inner_ + element % inner_);
  }

 private:
  std::int64_t inner_ = 1, size_ = 0, block_ = 0, groups_ = 0;
};

// What 4 bits stand for in MatMulBnb4, relative to the largest value of their block: a float of two
// bits of exponent and one of mantissa, and the quantiles of a normal distribution.
constexpr float kFp4[] = {0, 0.005208333333F,  2.0F / 3,  1,  1.0F / 3,  0.5F,  1.0F / 6,  0.25F,
                          0, -0.005208333333F, -2.0F / 3, -1, -1.0F / 3, -0.5F, -1.0F / 6, -0.25F};
constexpr float kNf4[] = {-1,
                          -0.696192801F,
                          -0.525073051F,
                          -0.394917488F,
                          -0.284441382F,
                          -0.184773430F,
                          -0.0910500363F,
                          0,
                          0.0795802996F,
                          0.160930201F,
                          0.246112302F,
                          0.337915242F,
                          0.440709829F,
                          0.562617004F,
                          0.722956836F,
                          1};

constexpr std::int64_t kMost = 1 << 28;  // of a side or a block: no product below overflows
bool isCount(std::int64_t count) { return count >= 1 && count <= kMost; }

float realOf(std::int64_t number, std::int64_t zero, float scale) {
  return static_cast<float>(number - zero) * scale;
}

// The scale and the zero of each element of a constant with these dims.
struct Scales {
  Scaling scaling;
  Floats scales;
  Numbers zeros;

  float scaleAt(std::size_t element) const { return scales[at(element)]; }
  std::int64_t zeroAt(std::size_t element) const { return zeros[at(element)]; }
  std::size_t at(std::size_t element) const {
    return scaling.at(static_cast<std::int64_t>(element));
  }
};

std::optional<Scales> scalesOf(const Model& model, const Numbers& dims,
                               const Quantisation& quantisation) {
  const std::optional<Tensor> scale = model.constant(quantisation.scale);
  if (!scale || !scale->isFloating() || scale->count() < 1) return std::nullopt;
  Numbers zeros(static_cast<std::size_t>(scale->count()), 0);
  if (!quantisation.zero.empty()) {
    const std::optional<Numbers> given = numbersOf(model, quantisation.zero);
    if (!given || (given->size() != 1 && given->size() != zeros.size())) return std::nullopt;
    for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = (*given)[given->size() == 1 ? 0 : i];
  }
  Scaling scaling;
  if (!scaling.lay(dims, *scale, quantisation.axis, quantisation.block)) return std::nullopt;
  return Scales{scaling, scale->floats(), std::move(zeros)};
}

// The smallest and the largest number of a type; 8 bits without a sign where there is no zero that
// has one.
std::optional<std::pair<float, float>> limitsOf(const Model& model, const std::string& zero) {
  if (zero.empty()) return std::pair(0.0F, 255.0F);
  const std::optional<Tensor> tensor = model.constant(zero);
  switch (tensor ? tensor->type() : 0) {
    case ::onnx::TensorProto::INT8:
      return std::pair(-128.0F, 127.0F);
    case ::onnx::TensorProto::UINT8:
      return std::pair(0.0F, 255.0F);
    case ::onnx::TensorProto::INT16:
      return std::pair(-32768.0F, 32767.0F);
    case ::onnx::TensorProto::UINT16:
      return std::pair(0.0F, 65535.0F);
    case kUint4:
      return std::pair(0.0F, 15.0F);
    case kInt4:
      return std::pair(-8.0F, 7.0F);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Reals> realsOf(const Model& model, const std::string& constant,
                             const Quantisation& quantisation) {
  const std::optional<Numbers> numbers = numbersOf(model, constant);
  if (!numbers) return std::nullopt;
  Reals reals{model.constant(constant)->dims(), std::vector<float>(numbers->size())};
  const std::optional<Scales> scales = scalesOf(model, reals.dims, quantisation);
  if (!scales) return std::nullopt;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    reals.values[i] = realOf((*numbers)[i], scales->zeroAt(i), scales->scaleAt(i));
  }
  return reals;
}

std::optional<Reals> roundedOf(const Model& model, const std::string& constant,
                               const Quantisation& quantisation) {
  const std::optional<Tensor> tensor = model.constant(constant);
  const auto limits = limitsOf(model, quantisation.zero);
  if (!tensor || !tensor->isFloating() || !limits) return std::nullopt;
  const Floats values = tensor->floats();
  Reals reals{tensor->dims(), {values.begin(), values.end()}};
  const std::optional<Scales> scales = scalesOf(model, reals.dims, quantisation);
  if (!scales) return std::nullopt;
  for (std::size_t i = 0; i < reals.values.size(); ++i) {
    const auto zero = static_cast<float>(scales->zeroAt(i));
    const float number = std::nearbyint(reals.values[i] / scales->scaleAt(i)) + zero;
    reals.values[i] =
        (std::clamp(number, limits->first, limits->second) - zero) * scales->scaleAt(i);
  }
  return reals;
}

// Inputs A, B [outputs, blocks, bytes of a block], scales, zeros?, group index?, bias?.
std::optional<Reals> realsOfPacked(const Model& model, const Node& product) {
  const std::int64_t inputs = intAttribute(product, "K").value_or(0);
  const std::int64_t outputs = intAttribute(product, "N").value_or(0);
  const std::int64_t bits = intAttribute(product, "bits").value_or(4);
  const std::int64_t block = intAttribute(product, "block_size").value_or(0);
  if (!isCount(inputs) || !isCount(outputs)) return std::nullopt;
  if ((bits != 4 && bits != 8) || block < 16 || !isCount(block) || product.input_size() < 3)
    return std::nullopt;
  const bool isGrouped = product.input_size() > 4 && !product.input(4).empty();
  const std::optional<Numbers> packed = numbersOf(model, product.input(1));
  const std::optional<Tensor> scale = model.constant(product.input(2));
  if (isGrouped || !packed || !scale || !scale->isFloating()) return std::nullopt;
  const std::int64_t blocks = (inputs + block - 1) / block, perByte = 8 / bits;
  const std::int64_t bytes = block / perByte, zeroBytes = (blocks + perByte - 1) / perByte;
  if (static_cast<std::int64_t>(packed->size()) != outputs * (blocks * bytes)) return std::nullopt;
  if (scale->count() != outputs * blocks) return std::nullopt;
  std::optional<Numbers> zeros;
  if (product.input_size() > 3 && !product.input(3).empty()) {
    zeros = numbersOf(model, product.input(3));
    if (!zeros || static_cast<std::int64_t>(zeros->size()) != outputs * zeroBytes)
      return std::nullopt;
  }
  // The n-th number of bytes that hold several, the first in the lowest bits.
  const auto unpacked = [&](const Numbers& all, std::int64_t first, std::int64_t n) {
    const std::int64_t byte = all[static_cast<std::size_t>(first + n / perByte)];
    return byte >> (n % perByte * bits) & ((1 << bits) - 1);
  };
  const Floats scales = scale->floats();
  Reals reals{{inputs, outputs}, std::vector<float>(static_cast<std::size_t>(inputs * outputs))};
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < inputs; ++i) {
      const std::int64_t b = i / block;
      const std::int64_t zero = zeros ? unpacked(*zeros, o * zeroBytes, b) : 1 << (bits - 1);
      reals.values[static_cast<std::size_t>(i * outputs + o)] =
          realOf(unpacked(*packed, (o * blocks + b) * bytes, i % block), zero,
                 scales[static_cast<std::size_t>(o * blocks + b)]);
    }
  }
  return reals;
}

// Inputs A, B, largest values. B is the turned weights [outputs, inputs] in a row, two in a byte,
// the first in its upper half; so many in that row are a block.
std::optional<Reals> realsOfChosen(const Model& model, const Node& product) {
  const std::int64_t inputs = intAttribute(product, "K").value_or(0);
  const std::int64_t outputs = intAttribute(product, "N").value_or(0);
  const std::int64_t block = intAttribute(product, "block_size").value_or(0);
  const std::int64_t kind = intAttribute(product, "quant_type").value_or(-1);
  if (!isCount(inputs) || !isCount(outputs) || !isCount(block) || (kind != 0 && kind != 1) ||
      product.input_size() != 3 || intAttribute(product, "transB").value_or(1) != 1)
    return std::nullopt;
  const std::optional<Numbers> packed = numbersOf(model, product.input(1));
  const std::optional<Tensor> largest = model.constant(product.input(2));
  if (!packed || !largest || !largest->isFloating()) return std::nullopt;
  const std::int64_t count = inputs * outputs;
  if (static_cast<std::int64_t>(packed->size()) != (count + 1) / 2 ||
      largest->count() != (count + block - 1) / block)
    return std::nullopt;
  const float* chosen = kind == 0 ? kFp4 : kNf4;
  const Floats scales = largest->floats();
  Reals reals{{inputs, outputs}, std::vector<float>(static_cast<std::size_t>(count))};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t byte = (*packed)[static_cast<std::size_t>(i / 2)];
    const std::int64_t bits = (i % 2 == 0 ? byte >> 4 : byte) & 15;
    reals.values[static_cast<std::size_t>(i % inputs * outputs + i / inputs)] =
        chosen[bits] * scales[static_cast<std::size_t>(i / block)];
  }
  return reals;
}

}  // namespace mpm::onnx
