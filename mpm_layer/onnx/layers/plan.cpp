// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/plan.h"

#include <algorithm>
#include <cstddef>

namespace mpm::onnx {
namespace {

std::int64_t outFeatures(const Model& model, const LinearRows& rows) {
  return model.constant(rows.weight)->dims()[rows.outByIn ? 0 : 1];
}

std::int64_t featureCount(const Model& model, const LinearRows& rows) {
  return rows.features.empty() ? outFeatures(model, rows)
                               : static_cast<std::int64_t>(rows.features.size());
}

std::int64_t featureAt(const LinearRows& rows, std::size_t i) {
  return rows.features.empty() ? static_cast<std::int64_t>(i) : rows.features[i];
}

// A matrix [in x out] is turned in tiles, because a column of a large one is spread over as many
// pages as it has rows.
void readRows(const Model& model, const LinearRows& rows, float* out) {
  const Tensor tensor = *model.constant(rows.weight);
  const Floats weight = tensor.floats();
  const auto first = static_cast<std::size_t>(tensor.dims()[0]);
  const auto second = static_cast<std::size_t>(tensor.dims()[1]);
  const auto count = static_cast<std::size_t>(featureCount(model, rows));
  if (rows.outByIn) {
    for (std::size_t i = 0; i < count; ++i) {
      const float* row = weight.data() + static_cast<std::size_t>(featureAt(rows, i)) * second;
      std::copy_n(row, second, out + i * second);
    }
    return;
  }
  constexpr std::size_t kTile = 32;
  for (std::size_t i0 = 0; i0 < count; i0 += kTile) {
    for (std::size_t j0 = 0; j0 < first; j0 += kTile) {
      for (std::size_t i = i0; i < std::min(i0 + kTile, count); ++i) {
        const float* column = weight.data() + static_cast<std::size_t>(featureAt(rows, i));
        for (std::size_t j = j0; j < std::min(j0 + kTile, first); ++j) {
          out[i * first + j] = column[j * second];
        }
      }
    }
  }
}

// Rows times their factors, where there are any.
void scaleRows(const Model& model, const LinearRows& rows, std::size_t width, float* out) {
  for (std::size_t i = 0; i < rows.factors.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) out[i * width + j] *= rows.factors[i];
  }
  if (rows.scale.empty()) return;
  const Tensor tensor = *model.constant(rows.scale);
  const Floats factors = tensor.floats();
  const auto count = static_cast<std::size_t>(featureCount(model, rows));
  for (std::size_t i = 0; i < count; ++i) {
    const float factor = factors[static_cast<std::size_t>(featureAt(rows, i))];
    for (std::size_t j = 0; j < width; ++j) out[i * width + j] *= factor;
  }
}

void readBias(const Model& model, const LinearRows& rows, float* out) {
  const auto count = static_cast<std::size_t>(featureCount(model, rows));
  if (rows.bias.empty()) {
    std::fill_n(out, count, 0.0F);
    return;
  }
  const Tensor tensor = *model.constant(rows.bias);
  const Floats bias = tensor.floats();
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = bias[static_cast<std::size_t>(featureAt(rows, i))];
  }
}

std::int64_t sumOfFeatures(const Model& model, const std::vector<LinearRows>& rows) {
  std::int64_t sum = 0;
  for (const LinearRows& each : rows) sum += featureCount(model, each);
  return sum;
}

}  // namespace

Weight vectorWeight(const Model& model, const std::string& input, const std::string& constant) {
  return {input, {model.constant(constant)->count()}, [constant](const Model& from, float* out) {
            const Tensor tensor = *from.constant(constant);
            const Floats floats = tensor.floats();
            std::copy(floats.begin(), floats.end(), out);
          }};
}

Weight ownedWeight(const std::string& input, Integers dims, std::vector<float> values) {
  return {input, std::move(dims), [values = std::move(values)](const Model&, float* out) {
            std::copy(values.begin(), values.end(), out);
          }};
}

Weight matrixWeight(const Model& model, const std::string& input, std::vector<LinearRows> rows) {
  const Tensor tensor = *model.constant(rows.front().weight);
  const std::int64_t in = tensor.dims()[rows.front().outByIn ? 1 : 0];
  return {input, {sumOfFeatures(model, rows), in}, [rows, in](const Model& from, float* out) {
            for (const LinearRows& each : rows) {
              readRows(from, each, out);
              scaleRows(from, each, static_cast<std::size_t>(in), out);
              out += featureCount(from, each) * in;
            }
          }};
}

bool addBias(const Model& model, const std::string& input, const std::vector<LinearRows>& rows,
             std::vector<Weight>& weights) {
  if (std::all_of(rows.begin(), rows.end(),
                  [](const auto& each) { return each.bias.empty() && each.shifts.empty(); }))
    return false;
  weights.push_back({input, {sumOfFeatures(model, rows)}, [rows](const Model& from, float* out) {
                       for (const LinearRows& each : rows) {
                         readBias(from, each, out);
                         scaleRows(from, each, 1, out);
                         for (std::size_t i = 0; i < each.shifts.size(); ++i)
                           out[i] += each.shifts[i];
                         out += featureCount(from, each);
                       }
                     }});
  return true;
}

}  // namespace mpm::onnx
