// SPDX-License-Identifier: Apache-2.0
// Operators that bring elements along some axes to one scale: norms, and softmax.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/chain.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"
#include "processor/pool.h"

namespace mpm::onnx {

namespace {

// Divides a value into outer x size x inner elements; the middle ones belong together.
struct Rows {
  std::size_t outer = 1, size = 1, inner = 1;
};

// Return the rows from `axis` on, or along `axis` alone.
std::optional<Rows> rowsFrom(const KnownTensor& data, std::int64_t axis) {
  const std::size_t rank = data.dims.size();
  const auto place = axisOf(axis, rank);
  if (!place) return std::nullopt;
  return Rows{product(data.dims, 0, *place), product(data.dims, *place, rank), 1};
}
std::optional<Rows> rowsAlong(const KnownTensor& data, std::int64_t axis) {
  const std::size_t rank = data.dims.size();
  const auto place = axisOf(axis, rank);
  if (!place) return std::nullopt;
  return Rows{product(data.dims, 0, *place), static_cast<std::size_t>(data.dims[*place]),
              product(data.dims, *place + 1, rank)};
}

// Calls compute(elements, outer index) for each row, in place. Rows with strided elements, such as
// those of planes along their channels, are copied together for it.
void forEachRow(KnownTensor& data, const Rows& rows,
                const std::function<void(float*, std::size_t)>& compute) {
  if (rows.size == 0) return;
  float* const all = data.floats.write();
  if (rows.inner == 1) {
    processor::forEachTask(rows.outer, [&](std::size_t o) { compute(all + o * rows.size, o); });
    return;
  }
  constexpr std::size_t kTogether = 64;
  const std::size_t parts = (rows.inner + kTogether - 1) / kTogether;
  processor::forEachTask(rows.outer * parts, [&](std::size_t task) {
    const std::size_t o = task / parts, begin = task % parts * kTogether;
    const std::size_t count = std::min(kTogether, rows.inner - begin);
    float* const first = all + o * rows.size * rows.inner + begin;
    std::vector<float> turned(count * rows.size);
    for (std::size_t k = 0; k < rows.size; ++k) {
      for (std::size_t i = 0; i < count; ++i) turned[i * rows.size + k] = first[k * rows.inner + i];
    }
    for (std::size_t i = 0; i < count; ++i) compute(turned.data() + i * rows.size, o);
    for (std::size_t k = 0; k < rows.size; ++k) {
      for (std::size_t i = 0; i < count; ++i) first[k * rows.inner + i] = turned[i * rows.size + k];
    }
  });
}

// Computes (x - mean) / sqrt(variance + epsilon), or x / sqrt(mean of squares + epsilon).
void standardise(float* row, std::size_t size, float epsilon, bool hasMean) {
  double mean = 0, squares = 0;
  for (std::size_t i = 0; hasMean && i < size; ++i) mean += static_cast<double>(row[i]);
  mean /= static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double off = static_cast<double>(row[i]) - mean;
    squares += off * off;
  }
  const double scale =
      1 / std::sqrt(squares / static_cast<double>(size) + static_cast<double>(epsilon));
  for (std::size_t i = 0; i < size; ++i) {
    row[i] = static_cast<float>((static_cast<double>(row[i]) - mean) * scale);
  }
}

// Multiplies each element of a row by a factor and adds a summand, if there are any.
void scaleRow(float* row, std::size_t size, const float* factors, const float* summands) {
  for (std::size_t i = 0; factors != nullptr && i < size; ++i) row[i] *= factors[i];
  for (std::size_t i = 0; summands != nullptr && i < size; ++i) row[i] += summands[i];
}

Result normalizeRows(const Call& call, bool hasMean, float epsilon) {
  const KnownTensor* data = sureFloats(call.input(0));
  const auto place =
      data ? axisOf(intAttribute(call.node, "axis").value_or(-1), data->dims.size()) : std::nullopt;
  if (!place) return std::nullopt;
  const auto rows = rowsFrom(*data, static_cast<std::int64_t>(*place));
  const Integers shape(data->dims.begin() + static_cast<std::ptrdiff_t>(*place), data->dims.end());
  SharedFloats parts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    if (!call.has(i + 1)) continue;
    const KnownTensor* part = sureFloats(call.input(i + 1));
    const auto whole = part ? broadcastTo(*part, shape) : std::nullopt;
    if (!whole) return std::nullopt;
    parts[i] = whole->floats;
  }
  KnownTensor result = *data;
  forEachRow(result, *rows, [&](float* row, std::size_t) {
    standardise(row, rows->size, epsilon, hasMean);
    scaleRow(row, rows->size, parts[0].empty() ? nullptr : parts[0].data(),
             parts[1].empty() ? nullptr : parts[1].data());
  });
  return result;
}

// Normalises [B C ...] in `groups` of channels; factors and summands are for channels or groups.
Result normalizeGroups(const Call& call, std::size_t groups) {
  const KnownTensor* data = sureFloats(call.input(0));
  const KnownTensor* factors = sureFloats(call.input(1));
  const KnownTensor* summands = sureFloats(call.input(2));
  if (!data || !factors || !summands || data->dims.size() < 2) return std::nullopt;
  const auto channels = static_cast<std::size_t>(data->dims[1]);
  const std::size_t given = factors->count();
  if (groups == 0 || channels == 0 || channels % groups != 0 || summands->count() != given ||
      given == 0 || channels % given != 0) {
    return std::nullopt;
  }
  const std::size_t places = product(data->dims, 2, data->dims.size());
  const std::size_t each = channels / groups;
  const float epsilon = floatAttribute(call.node, "epsilon").value_or(1e-5F);
  KnownTensor result = *data;
  const Rows rows{static_cast<std::size_t>(data->dims[0]) * groups, each * places, 1};
  forEachRow(result, rows, [&](float* row, std::size_t o) {
    standardise(row, rows.size, epsilon, true);
    for (std::size_t i = 0; i < rows.size; ++i) {
      const std::size_t channel = o % groups * each + i / places;
      const std::size_t at = channel / (channels / given);
      row[i] = row[i] * factors->floats[at] + summands->floats[at];
    }
  });
  return result;
}

// Returns the operand of Softmax and similar operators, and its rows.
std::optional<std::pair<const KnownTensor*, Rows>> softmaxRows(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  if (!data || data->dims.empty()) return std::nullopt;
  const bool isOld = call.opset > 0 && call.opset < 13;  // all axes from that one on
  const std::int64_t axis = intAttribute(call.node, "axis").value_or(isOld ? 1 : -1);
  const auto rows = isOld ? rowsFrom(*data, axis) : rowsAlong(*data, axis);
  return rows ? std::optional(std::pair(data, *rows)) : std::nullopt;
}

Result softmax(const Call& call, bool isLog) {
  const auto found = softmaxRows(call);
  if (!found) return std::nullopt;
  const Rows& rows = found->second;
  KnownTensor result = *found->first;
  forEachRow(result, rows, [&](float* row, std::size_t) {
    const float largest = *std::max_element(row, row + rows.size);
    for (std::size_t i = 0; i < rows.size; ++i) row[i] -= largest;
    std::vector<float> logarithms(isLog ? row : nullptr, isLog ? row + rows.size : nullptr);
    exponentials(row, rows.size);
    double total = 0;
    for (std::size_t i = 0; i < rows.size; ++i) total += static_cast<double>(row[i]);
    const double log = isLog ? std::log(total) : 0, share = 1 / total;
    for (std::size_t i = 0; i < rows.size; ++i)
      row[i] = static_cast<float>(isLog ? static_cast<double>(logarithms[i]) - log
                                        : static_cast<double>(row[i]) * share);
  });
  return result;
}

Result foldLayerNormalization(const Call& call) {
  return normalizeRows(call, true, floatAttribute(call.node, "epsilon").value_or(1e-5F));
}

Result foldRmsNormalization(const Call& call) {
  return normalizeRows(call, false, floatAttribute(call.node, "epsilon").value_or(1e-5F));
}

Result foldInstanceNormalization(const Call& call) {
  const KnownTensor* data = call.input(0);
  if (!data || data->dims.size() < 2) return std::nullopt;
  return normalizeGroups(call, static_cast<std::size_t>(data->dims[1]));
}

Result foldGroupNormalization(const Call& call) {
  const std::int64_t groups = intAttribute(call.node, "num_groups").value_or(0);
  if (groups <= 0) return std::nullopt;
  return normalizeGroups(call, static_cast<std::size_t>(groups));
}

Result foldLpNormalization(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  const std::int64_t power = intAttribute(call.node, "p").value_or(2);
  const auto rows =
      data ? rowsAlong(*data, intAttribute(call.node, "axis").value_or(-1)) : std::nullopt;
  if (!rows || power < 1 || power > 2) return std::nullopt;
  KnownTensor result = *data;
  forEachRow(result, *rows, [&](float* row, std::size_t) {
    double total = 0;
    for (std::size_t i = 0; i < rows->size; ++i) {
      const auto x = static_cast<double>(row[i]);
      total += power == 2 ? x * x : std::fabs(x);
    }
    const double length = power == 2 ? std::sqrt(total) : total;
    for (std::size_t i = 0; length > 0 && i < rows->size; ++i) {
      row[i] = static_cast<float>(static_cast<double>(row[i]) / length);
    }
  });
  return result;
}

// Normalises all named axes as one: by default those of a picture and its place.
Result foldMeanVarianceNormalization(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  const auto axes = intsAttribute(call.node, "axes").value_or(Integers{0, 2, 3});
  const auto marked = data ? markAxes(axes, data->dims.size()) : std::nullopt;
  if (!marked) return std::nullopt;
  std::vector<std::size_t> order;  // those that stay, then those that go
  for (const bool goes : {false, true}) {
    for (std::size_t i = 0; i < marked->size(); ++i)
      if ((*marked)[i] == goes) order.push_back(i);
  }
  KnownTensor turned = transposed(*data, data->dims, order);
  const std::size_t size = product(turned.dims, turned.dims.size() - axes.size(), order.size());
  constexpr float kEpsilon = 1e-18F;  // of a variance; ONNX has 1e-9 of its root
  const Rows rows{size == 0 ? 0 : turned.count() / size, size, 1};
  forEachRow(turned, rows,
             [&](float* row, std::size_t) { standardise(row, size, kEpsilon, true); });
  std::vector<std::size_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return transposed(turned, turned.dims, back);
}

// Sets the largest element to one, the first in a tie, and others to zero.
Result foldHardmax(const Call& call) {
  const auto found = softmaxRows(call);
  if (!found) return std::nullopt;
  const Rows& rows = found->second;
  KnownTensor result = *found->first;
  forEachRow(result, rows, [&](float* row, std::size_t) {
    const auto largest = static_cast<std::size_t>(std::max_element(row, row + rows.size) - row);
    std::fill_n(row, rows.size, 0.0F);
    row[largest] = 1;
  });
  return result;
}

// In training mode it uses the data's own mean and variance over all but the channels. timm
// standardises weights of convolutions so. The second and third result remember them.
Results foldBatchNormalization(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  if (!data || data->dims.size() < 2 || data->count() == 0) return {};
  const auto channels = static_cast<std::size_t>(data->dims[1]);
  for (std::size_t i = 1; i < 5; ++i) {
    const KnownTensor* each = sureFloats(call.input(i));
    if (!each || each->count() != channels) return {};
  }
  const std::size_t outer = product(data->dims, 0, 1);
  const std::size_t inner = product(data->dims, 2, data->dims.size());
  const bool isTraining = intAttribute(call.node, "training_mode").value_or(0) != 0;
  const float momentum = floatAttribute(call.node, "momentum").value_or(0.9F);
  const auto epsilon = static_cast<double>(floatAttribute(call.node, "epsilon").value_or(1e-5F));
  Results results = {*data, *call.input(3), *call.input(4)};
  float* const all = results[0]->floats.write();
  float *const means = results[1]->floats.write(), *const spreads = results[2]->floats.write();
  for (std::size_t c = 0; c < channels; ++c) {
    const auto forEach = [&](const auto& visit) {
      for (std::size_t o = 0; o < outer; ++o) {
        float* row = all + (o * channels + c) * inner;
        std::for_each(row, row + inner, visit);
      }
    };
    float &mean = means[c], &variance = spreads[c];
    double centre = static_cast<double>(mean), spread = static_cast<double>(variance);
    if (isTraining) {
      const auto count = static_cast<double>(outer * inner);
      double sum = 0, squares = 0;
      forEach([&](float x) { sum += static_cast<double>(x); });
      centre = sum / count;
      forEach([&](float x) {
        const double off = static_cast<double>(x) - centre;
        squares += off * off;
      });
      spread = squares / count;
      mean = mean * momentum + static_cast<float>(centre) * (1 - momentum);
      variance = variance * momentum + static_cast<float>(spread) * (1 - momentum);
    }
    const double factor =
        static_cast<double>(call.input(1)->floats[c]) / std::sqrt(spread + epsilon);
    const auto summand = static_cast<double>(call.input(2)->floats[c]);
    forEach([&](float& x) {
      x = static_cast<float>((static_cast<double>(x) - centre) * factor + summand);
    });
  }
  return results;
}

Result foldSoftmax(const Call& call) { return softmax(call, false); }
Result foldLogSoftmax(const Call& call) { return softmax(call, true); }

Shapes forOutputs(const Call& call, const Dims& first, const Dims& others) {
  Shapes shapes(static_cast<std::size_t>(call.node.output_size()), others);
  if (!shapes.empty()) shapes[0] = first;
  return shapes;
}

Shapes shapeNormalization(const Call& call) {
  const Dims dims = call.copyOf(0);
  if (!dims) return {};
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size());
  if (!axis) return {dims};
  Integers means = *dims;  // of the mean and the inverse deviation
  for (std::size_t i = *axis; i < means.size(); ++i) means[i] = 1;
  return {dims, means, means};
}

Shapes shapeBatchNormalization(const Call& call) {
  return forOutputs(call, call.copyOf(0), call.copyOf(1));
}

}  // namespace

const Operators& normalizationOperators() {
  static const Operators rows = {
      {"LogSoftmax", first<shapeSame>, one<foldLogSoftmax>},
      {"BatchNormalization", shapeBatchNormalization, foldBatchNormalization},
      {"GroupNormalization", first<shapeSame>, one<foldGroupNormalization>},
      {"Hardmax", first<shapeSame>, one<foldHardmax>},
      {"InstanceNormalization", first<shapeSame>, one<foldInstanceNormalization>},
      {"LayerNormalization", shapeNormalization, one<foldLayerNormalization>},
      {"LpNormalization", first<shapeSame>, one<foldLpNormalization>},
      {"MeanVarianceNormalization", first<shapeSame>, one<foldMeanVarianceNormalization>},
      {"RMSNormalization", first<shapeSame>, one<foldRmsNormalization>},
      {"SimplifiedLayerNormalization", shapeNormalization, one<foldRmsNormalization>},
      {"Softmax", first<shapeSame>, one<foldSoftmax>},
      {"com.microsoft:LayerNormalization", shapeNormalization},
  };
  return rows;
}

}  // namespace mpm::onnx
