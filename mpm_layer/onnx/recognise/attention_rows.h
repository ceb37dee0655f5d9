// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "onnx/operators/values.h"

namespace mpm::onnx {

// Of attention with so many queries, in which `value` is: what its linear layers read that are not
// these rows of one image, in a few words. Empty where they read just these, or nothing is known.
std::string whyOtherRows(const Facts& facts, const std::string& value, std::int64_t queries,
                         std::int64_t batch);

}  // namespace mpm::onnx
