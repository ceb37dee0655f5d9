// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <utility>
#include <vector>

/// Arrays of Python (NumPy's, and whatever speaks DLPack or the buffer protocol) as Mats, and back.
namespace mpm::python {

namespace nb = nanobind;

/// What is read of an array of Python's: its own memory where that has the order that is needed,
/// else a copy. Made and let go while the GIL is held.
struct ArrayView {
  cv::Mat mat;
  nb::ndarray<nb::ro> array;  // keeps the memory
};

/// Height x width, or height x width x channels with 1, 3 or 4 of them, of uint8: a Mat of so many
/// channels. Rows may have gaps between them. TypeError and ValueError on anything else.
ArrayView frameOf(nb::handle frame);

/// float32 of any number of axes that is at least 1, in their order and without gaps.
ArrayView floatsOf(nb::handle values, const std::string& name);

/// The same, and a copy as float32 of whole numbers and truth values.
ArrayView numbersOf(nb::handle values, const std::string& name);

/// Whole numbers of any width and truth values, in their order.
std::vector<std::int64_t> integersOf(nb::handle values, const std::string& name,
                                     std::vector<std::int64_t>& shape);

/// Height x width of whole numbers from 0 to 65535, at least one: a Mat of CV_16U.
cv::Mat labelsOf(nb::handle labels, const std::string& name);

/// A NumPy array that keeps the Mat's memory; its channels are the last axis where there are
/// several. None for a Mat without values.
nb::object arrayOf(const cv::Mat& mat);

/// The same of whole numbers.
nb::object arrayOf(std::vector<std::int64_t> values, const std::vector<std::size_t>& shape);

/// None for what is not known (not a number).
inline nb::object knownOrNone(double value) {
  return std::isnan(value) ? nb::none() : nb::object(nb::cast(value));
}

std::vector<std::int64_t> shapeOf(const nb::ndarray<nb::ro>& array);
std::string shapeText(const std::vector<std::int64_t>& shape);

}  // namespace mpm::python
