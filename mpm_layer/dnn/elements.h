// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <type_traits>

namespace mpm::dnn {

/// Calls visit(T*) with the elements of a continuous Mat; false for a type that nets do not pass,
/// which of OpenCV 4 is any but float32.
template <class Visit>
bool visitElements(const cv::Mat& mat, const Visit& visit) {
  switch (mat.type()) {
    case CV_32F:
      visit(reinterpret_cast<float*>(mat.data));
      return true;
#if CV_VERSION_MAJOR >= 5
    case CV_64S:
      visit(reinterpret_cast<std::int64_t*>(mat.data));
      return true;
    case CV_32S:
      visit(reinterpret_cast<std::int32_t*>(mat.data));
      return true;
    case CV_Bool:
    case CV_8U:
      visit(reinterpret_cast<std::uint8_t*>(mat.data));
      return true;
    case CV_8S:
      visit(reinterpret_cast<std::int8_t*>(mat.data));
      return true;
#endif
    default:
      return false;
  }
}

/// A number as another type's; floats become the nearest whole number.
template <class To, class From>
To elementAs(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(std::llround(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace mpm::dnn
