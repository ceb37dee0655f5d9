// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

namespace mpm::python {
namespace {

using Array = nb::ndarray<nb::ro>;

// "list", or of an array that is not understood "ndarray of >f4".
std::string typeName(nb::handle value) {
  const std::string name = nb::cast<std::string>(value.type().attr("__name__"));
  if (!nb::hasattr(value, "dtype")) return name;
  const nb::object dtype = value.attr("dtype");
  return name + " of " + nb::cast<std::string>(nb::str(nb::handle(dtype)));
}

std::string dtypeText(const nb::dlpack::dtype& type) {
  const char* const names[] = {"int", "uint", "float", "void", "bfloat", "complex", "bool"};
  const std::string name = type.code < std::size(names) ? names[type.code] : "a type of its own";
  return type.code == 6 ? name : name + std::to_string(type.bits);
}

Array arrayIn(nb::handle value, const std::string& name, const std::string& expected) {
  Array array;
  if (nb::hasattr(value, "requires_grad") && nb::bool_(value.attr("requires_grad"))) {
    throw nb::value_error(
        (name + ": it is a tensor that requires a gradient; please pass its detach()").c_str());
  }
  if (value.is_none() || !nb::try_cast(value, array)) {
    throw nb::type_error((name + ": expected " + expected + ", got " + typeName(value)).c_str());
  }
  if (array.device_type() != nb::device::cpu::value) {
    throw nb::value_error(
        (name + ": its values lie on a device; expected them in the processor's memory").c_str());
  }
  return array;
}

bool hasGaps(const Array& array, std::size_t firstAxis) {
  std::int64_t expected = 1;
  for (std::size_t axis = array.ndim(); axis-- > firstAxis;) {
    if (array.shape(axis) != 1 && array.stride(axis) != expected) return true;
    expected *= static_cast<std::int64_t>(array.shape(axis));
  }
  return false;
}

// One axis behind the other; `from` counts in elements, as strides do.
void copyInOrder(const Array& array, std::size_t axis, const char* from, std::size_t bytes,
                 char*& to) {
  if (axis == array.ndim()) {
    std::memcpy(to, from, bytes);
    to += bytes;
    return;
  }
  const std::int64_t step = array.stride(axis) * static_cast<std::int64_t>(bytes);
  for (std::size_t i = 0; i < array.shape(axis); ++i, from += step)
    copyInOrder(array, axis + 1, from, bytes, to);
}

const char* bytesOf(const Array& array) { return static_cast<const char*>(array.data()); }

void checkSizes(const Array& array, const std::string& name) {
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    if (array.shape(axis) > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw nb::value_error(
          (name + ": it is " + shapeText(shapeOf(array)) + ", which is too large").c_str());
  }
}

// At least one, in as many axes as a Mat may have.
void checkValues(const std::vector<std::int64_t>& shape, const std::string& name) {
  if (shape.size() > CV_MAX_DIM) {
    throw nb::value_error((name + ": it has " + std::to_string(shape.size()) +
                           " axes; expected at most " + std::to_string(CV_MAX_DIM))
                              .c_str());
  }
  if (shape.empty() || std::find(shape.begin(), shape.end(), 0) != shape.end())
    throw nb::value_error((name + ": it is " + shapeText(shape) + "; expected values").c_str());
}

}  // namespace

std::vector<std::int64_t> shapeOf(const Array& array) {
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis)
    shape.push_back(static_cast<std::int64_t>(array.shape(axis)));
  return shape;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "a single value" : text;
}

ArrayView frameOf(nb::handle frame) {
  const char* const expected = "an array of uint8, height x width (x 1, 3 or 4 channels)";
  ArrayView view{{}, arrayIn(frame, "frame", expected)};
  const Array& array = view.array;
  if (array.dtype() != nb::dtype<std::uint8_t>()) {
    throw nb::type_error(
        ("frame: expected " + std::string(expected) + ", got " + dtypeText(array.dtype())).c_str());
  }
  const std::size_t channels = array.ndim() == 3 ? array.shape(2) : 1;
  const bool isFrame =
      (array.ndim() == 2 || array.ndim() == 3) && (channels == 1 || channels == 3 || channels == 4);
  if (!isFrame || array.size() == 0) {
    throw nb::value_error(
        ("frame: expected " + std::string(expected) + ", got " + shapeText(shapeOf(array)))
            .c_str());
  }
  checkSizes(array, "frame");
  const auto rows = static_cast<int>(array.shape(0)), columns = static_cast<int>(array.shape(1));
  const int type = CV_MAKETYPE(CV_8U, static_cast<int>(channels));
  const auto rowBytes = static_cast<std::int64_t>(array.shape(1) * channels);
  const std::int64_t step = rows == 1 ? rowBytes : array.stride(0);
  if (!hasGaps(array, 1) && step >= rowBytes) {
    view.mat = cv::Mat(rows, columns, type, const_cast<char*>(bytesOf(array)),
                       static_cast<std::size_t>(step));
    return view;
  }
  view.mat.create(rows, columns, type);
  auto* to = reinterpret_cast<char*>(view.mat.data);
  copyInOrder(array, 0, bytesOf(array), 1, to);
  return view;
}

ArrayView floatsOf(nb::handle values, const std::string& name) {
  ArrayView view{{}, arrayIn(values, name, "an array of float32")};
  const Array& array = view.array;
  if (array.dtype() != nb::dtype<float>())
    throw nb::type_error(
        (name + ": expected an array of float32, got " + dtypeText(array.dtype())).c_str());
  const std::vector<std::int64_t> shape = shapeOf(array);
  checkValues(shape, name);
  checkSizes(array, name);
  std::vector<int> sizes(shape.begin(), shape.end());
  if (!hasGaps(array, 0) && reinterpret_cast<std::uintptr_t>(array.data()) % alignof(float) == 0) {
    view.mat = cv::Mat(sizes, CV_32F, const_cast<char*>(bytesOf(array)));
    return view;
  }
  view.mat.create(static_cast<int>(sizes.size()), sizes.data(), CV_32F);
  auto* to = reinterpret_cast<char*>(view.mat.data);
  copyInOrder(array, 0, bytesOf(array), sizeof(float), to);
  return view;
}

namespace {

// Truth values lie in a byte each, 0 or 1.
template <class Number, class Type = Number>
bool readAs(const Array& array, std::vector<std::int64_t>& values) {
  if (array.dtype() != nb::dtype<Type>()) return false;
  std::vector<Number> numbers(array.size());
  auto* to = reinterpret_cast<char*>(numbers.data());
  copyInOrder(array, 0, bytesOf(array), sizeof(Number), to);
  values.assign(numbers.begin(), numbers.end());
  return true;
}

// Those of uint64 from 2^63 on would be negative ones here.
bool readLong(const Array& array, const std::string& name, std::vector<std::int64_t>& values) {
  if (!readAs<std::uint64_t>(array, values)) return false;
  if (std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value < 0; })) {
    throw nb::value_error(
        (name + ": it has a number of 2^63 or more; expected those of int64").c_str());
  }
  return true;
}

bool readWhole(const Array& array, const std::string& name, std::vector<std::int64_t>& values) {
  return readAs<std::int64_t>(array, values) || readAs<std::int32_t>(array, values) ||
         readAs<std::uint8_t>(array, values) || readAs<std::uint16_t>(array, values) ||
         readAs<std::int16_t>(array, values) || readAs<std::uint32_t>(array, values) ||
         readAs<std::int8_t>(array, values) || readAs<std::uint8_t, bool>(array, values) ||
         readLong(array, name, values);
}

}  // namespace

ArrayView numbersOf(nb::handle given, const std::string& name) {
  const char* const expected = "an array of float32 or whole numbers";
  ArrayView view{{}, arrayIn(given, name, expected)};
  const Array& array = view.array;
  std::vector<std::int64_t> values;
  if (array.dtype() == nb::dtype<float>()) return floatsOf(given, name);
  if (!readWhole(array, name, values))
    throw nb::type_error(
        (name + ": expected " + expected + ", got " + dtypeText(array.dtype())).c_str());
  const std::vector<std::int64_t> shape = shapeOf(array);
  checkValues(shape, name);
  checkSizes(array, name);
  view.mat.create(std::vector<int>(shape.begin(), shape.end()), CV_32F);
  std::copy(values.begin(), values.end(), view.mat.ptr<float>());
  return view;
}

std::vector<std::int64_t> integersOf(nb::handle given, const std::string& name,
                                     std::vector<std::int64_t>& shape) {
  const Array array = arrayIn(given, name, "an array of whole numbers");
  checkSizes(array, name);
  std::vector<std::int64_t> values;
  if (!readWhole(array, name, values)) {
    throw nb::type_error((name + ": expected an array of whole numbers, such as int64, got " +
                          dtypeText(array.dtype()))
                             .c_str());
  }
  shape = shapeOf(array);
  return values;
}

cv::Mat labelsOf(nb::handle given, const std::string& name) {
  std::vector<std::int64_t> shape;
  const std::vector<std::int64_t> values = integersOf(given, name, shape);
  if (shape.size() != 2 || values.empty()) {
    throw nb::value_error(
        (name + ": expected height x width of whole numbers, got " + shapeText(shape)).c_str());
  }
  cv::Mat labels(static_cast<int>(shape[0]), static_cast<int>(shape[1]), CV_16U);
  auto* to = labels.ptr<std::uint16_t>();
  for (const std::int64_t value : values) {
    if (value < 0 || value > std::numeric_limits<std::uint16_t>::max()) {
      throw nb::value_error(
          (name + ": " + std::to_string(value) + " is not from 0 to 65535").c_str());
    }
    *to++ = static_cast<std::uint16_t>(value);
  }
  return labels;
}

namespace {

nb::dlpack::dtype dtypeOf(const cv::Mat& mat) {
  switch (mat.depth()) {
    case CV_8U:
      return nb::dtype<std::uint8_t>();
    case CV_8S:
      return nb::dtype<std::int8_t>();
    case CV_16U:
      return nb::dtype<std::uint16_t>();
    case CV_32S:
      return nb::dtype<std::int32_t>();
    case CV_64S:
      return nb::dtype<std::int64_t>();
    case CV_32F:
      return nb::dtype<float>();
    case CV_64F:
      return nb::dtype<double>();
    case CV_Bool:
      return nb::dtype<bool>();
    default:
      throw std::runtime_error("values of OpenCV's type " + cv::typeToString(mat.type()) +
                               " have no array type yet");
  }
}

}  // namespace

nb::object arrayOf(const cv::Mat& mat) {
  if (mat.empty()) return nb::none();
  auto kept = std::make_unique<cv::Mat>(mat.isContinuous() ? mat : mat.clone());
  std::vector<std::size_t> shape(kept->size.p, kept->size.p + kept->dims);
  if (kept->channels() > 1) shape.push_back(static_cast<std::size_t>(kept->channels()));
  const nb::dlpack::dtype type = dtypeOf(*kept);
  void* const data = kept->data;
  const nb::capsule owner(kept.release(),
                          [](void* held) noexcept { delete static_cast<cv::Mat*>(held); });
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, type));
}

nb::object arrayOf(std::vector<std::int64_t> values, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<std::vector<std::int64_t>>(std::move(values));
  void* const data = kept->data();
  const nb::capsule owner(kept.release(), [](void* held) noexcept {
    delete static_cast<std::vector<std::int64_t>*>(held);
  });
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr,
                                         nb::dtype<std::int64_t>()));
}

}  // namespace mpm::python
