// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/quantised.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "onnx/graph/attribute.h"

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

}  // namespace mpm::onnx
