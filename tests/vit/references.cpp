// SPDX-License-Identifier: Apache-2.0
#include "vit/references.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mpm::vit {
// ---- A block and what it consists of: norm, linear layer, GELU, attention
// -------------------------

namespace {

constexpr double kPi = 3.14159265358979323846;

double gelu(Gelu kind, double x) {
  switch (kind) {
    case Gelu::erf:
      return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case Gelu::tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
    case Gelu::quick:
      break;
  }
  return x / (1 + std::exp(-1.702 * x));
}

double dot(const float* a, const float* b, std::size_t dim) {
  double sum = 0;
  for (std::size_t k = 0; k < dim; ++k) sum += static_cast<double>(a[k]) * b[k];
  return sum;
}

void softmax(std::vector<double>& logits) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double logit : logits) largest = std::max(largest, logit);
  if (std::isinf(largest) && largest < 0) largest = 0;  // no key: every exp is 0, or NaN
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp(logit - largest);
  for (double& share : logits) share = sum == 0 ? 0 : share / sum;
}

struct Matrix {
  std::vector<float> data;
  Rows rows;
  Matrix(std::size_t count, std::size_t dim) : data(count * dim), rows(data.data(), count, dim) {}
};

void addBranch(ConstRows branch, const float* layerScale, Rows x) {
  for (std::size_t i = 0; i < x.count; ++i) {
    for (std::size_t k = 0; k < x.dim; ++k) {
      const double scale = layerScale != nullptr ? layerScale[k] : 1;
      x.row(i)[k] = static_cast<float>(x.row(i)[k] + scale * branch.row(i)[k]);
    }
  }
}

}  // namespace

void normalizeReference(ConstRows in, const NormWeights& weights, Rows out) {
  const auto dim = static_cast<double>(in.dim);
  for (std::size_t i = 0; i < in.count; ++i) {
    const float* x = in.row(i);

    double sum = 0;
    for (std::size_t k = 0; k < in.dim; ++k) sum += x[k];
    const double mean = weights.isCentred ? sum / dim : 0;
    double squares = 0;
    for (std::size_t k = 0; k < in.dim; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const double variance = squares / dim;

    for (std::size_t k = 0; k < in.dim; ++k) {
      const double scale = weights.scale != nullptr ? weights.scale[k] : 1;
      const double shift = weights.shift != nullptr ? weights.shift[k] : 0;
      out.row(i)[k] =
          static_cast<float>((x[k] - mean) / std::sqrt(variance + weights.eps) * scale + shift);
    }
  }
}

void linearReference(ConstRows in, const LinearWeights& weights, Rows out) {
  for (std::size_t i = 0; i < in.count; ++i) {
    for (std::size_t m = 0; m < weights.weight.count; ++m) {
      double sum = weights.bias != nullptr ? weights.bias[m] : 0;
      for (std::size_t k = 0; k < in.dim; ++k) {
        sum += static_cast<double>(in.row(i)[k]) * weights.weight.row(m)[k];
      }
      out.row(i)[m] = static_cast<float>(sum);
    }
  }
}

void geluReference(Gelu kind, Rows rows) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) {
      rows.row(i)[k] = static_cast<float>(gelu(kind, rows.row(i)[k]));
    }
  }
}

void attentionReference(ConstRows q, ConstRows k, ConstRows v, const Attention& attention, Rows out,
                        const BiasTable* table) {
  const std::size_t d = q.dim / attention.heads;
  std::vector<double> shares(k.count);
  for (std::size_t h = 0; h < attention.heads; ++h) {
    for (std::size_t i = 0; i < q.count; ++i) {
      for (std::size_t j = 0; j < k.count; ++j) {
        const double weight = attention.keyWeights != nullptr ? attention.keyWeights[j] : 0;
        const float* const bias = table == nullptr ? nullptr : table->row(h, i);
        shares[j] = attention.scale * dot(q.row(i) + h * d, k.row(j) + h * d, d) + weight +
                    (bias == nullptr ? 0 : bias[j]);
      }
      softmax(shares);
      for (std::size_t c = h * d; c < (h + 1) * d; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < v.count; ++j) sum += shares[j] * v.row(j)[c];
        out.row(i)[c] = static_cast<float>(sum);
      }
    }
  }
}

void transformerBlockReference(Rows x, const BlockWeights& weights, const float* keyWeights) {
  const std::size_t n = x.count, a = weights.proj.weight.dim;
  Matrix normed(n, x.dim), qkv(n, 3 * a), attended(n, a), branch(n, x.dim);
  Matrix hidden(n, weights.fc1.weight.count);

  normalizeReference(x, weights.norm1, normed.rows);
  linearReference(normed.rows, weights.qkv, qkv.rows);
  const ConstRows q(qkv.data.data(), n, a, 3 * a);
  const ConstRows k(qkv.data.data() + a, n, a, 3 * a);
  const ConstRows v(qkv.data.data() + 2 * a, n, a, 3 * a);
  attentionReference(q, k, v, {weights.heads, weights.scale, keyWeights}, attended.rows);
  linearReference(attended.rows, weights.proj, branch.rows);
  addBranch(branch.rows, weights.layerScale1, x);

  normalizeReference(x, weights.norm2, normed.rows);
  linearReference(normed.rows, weights.fc1, hidden.rows);
  geluReference(weights.gelu, hidden.rows);
  linearReference(hidden.rows, weights.fc2, branch.rows);
  addBranch(branch.rows, weights.layerScale2, x);
}

// ---- Windows of a grid
// ----------------------------------------------------------------------------

namespace {

// A key of a window: its row of q, k and v, and its cells there.
struct Key {
  const float* row;
  std::vector<RowCells::Cell> cells;
};

Key keyOf(const GridTables& tables, const Members& members, ConstRows qkv, std::size_t row) {
  const WindowGrid& grid = tables.grid;
  Key key{qkv.row(row), {}};
  for (const std::int32_t* token = members.begin(row); token != members.end(row); ++token) {
    const auto at = static_cast<std::size_t>(*token);
    key.cells.push_back({static_cast<std::int32_t>(at / grid.width % grid.windowHeight),
                         static_cast<std::int32_t>(at % grid.width % grid.windowWidth)});
  }
  return key;
}

std::vector<Key> keysOf(const GridTables& tables, const Members& members, ConstRows qkv,
                        std::size_t window) {
  const WindowGrid& grid = tables.grid;
  std::vector<Key> keys;
  for (std::size_t row = 0; row < qkv.count; ++row) {
    if (grid.windowOf(static_cast<std::size_t>(*members.begin(row))) == window)
      keys.push_back(keyOf(tables, members, qkv, row));
  }
  for (std::size_t cell = 0; cell < grid.windowHeight * grid.windowWidth; ++cell) {
    const std::size_t y = cell / grid.windowWidth, x = cell % grid.windowWidth;
    if (window / grid.across() * grid.windowHeight + y < grid.height &&
        window % grid.across() * grid.windowWidth + x < grid.width)
      continue;
    keys.push_back(
        {tables.outside, {{static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)}}});
  }
  return keys;
}

double distanceOf(const GridTables& tables, const Key& query, const float* q, const Key& key) {
  if (tables.down.data == nullptr) return 0;
  const auto at = [](ConstRows table, std::int32_t distance) {
    return table.row(table.count / 2 + static_cast<std::size_t>(distance));
  };
  double sum = 0;
  for (const RowCells::Cell& i : query.cells) {
    for (const RowCells::Cell& j : key.cells) {
      sum += dot(q, at(tables.down, i.y - j.y), tables.down.dim) +
             dot(q, at(tables.across, i.x - j.x), tables.down.dim);
    }
  }
  return sum / static_cast<double>(query.cells.size() * key.cells.size());
}

}  // namespace

void gridAttentionReference(ConstRows qkv, const Attention& attention, const GridTables& tables,
                            const Members& members, Rows out) {
  const std::size_t d = out.dim / attention.heads;
  for (std::size_t row = 0; row < qkv.count; ++row) {
    const Key query = keyOf(tables, members, qkv, row);
    const std::vector<Key> keys = keysOf(
        tables, members, qkv, tables.grid.windowOf(static_cast<std::size_t>(*members.begin(row))));
    for (std::size_t head = 0; head < attention.heads; ++head) {
      const float* const q = query.row + head * d;
      std::vector<double> weights;
      for (const Key& key : keys) {
        weights.push_back(static_cast<double>(attention.scale) *
                              dot(q, key.row + out.dim + head * d, d) +
                          distanceOf(tables, query, q, key));
      }
      const double largest = *std::max_element(weights.begin(), weights.end());
      double all = 0;
      for (double& weight : weights) all += weight = std::exp(weight - largest);
      for (std::size_t i = 0; i < d; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < keys.size(); ++k)
          sum += weights[k] * static_cast<double>(keys[k].row[2 * out.dim + head * d + i]);
        out.row(row)[head * d + i] = static_cast<float>(sum / all);
      }
    }
  }
}

// ---- The mask head
// --------------------------------------------------------------------------------

namespace {

using UnitRow = std::vector<double>;

std::vector<UnitRow> projectToUnitRows(ConstRows rows, ConstRows matrix) {
  std::vector<UnitRow> projected;
  for (std::size_t i = 0; i < rows.count; ++i) {
    UnitRow unit(matrix.dim, 0);
    double squares = 0;
    for (std::size_t m = 0; m < matrix.dim; ++m) {
      for (std::size_t k = 0; k < matrix.count; ++k) {
        unit[m] += static_cast<double>(rows.row(i)[k]) * matrix.row(k)[m];
      }
      squares += unit[m] * unit[m];
    }
    for (double& x : unit) x = squares > 0 ? x / std::sqrt(squares) : x;
    projected.push_back(unit);
  }
  return projected;
}

}  // namespace

void maskHeadReference(ConstRows patches, ConstRows classes, const MaskHeadWeights& weights,
                       Rows masks) {
  const auto unitPatches = projectToUnitRows(patches, weights.projPatch);
  const auto unitClasses = projectToUnitRows(classes, weights.projClasses);
  for (std::size_t i = 0; i < patches.count; ++i) {
    for (std::size_t c = 0; c < classes.count; ++c) {
      double similarity = 0;
      for (std::size_t k = 0; k < weights.projPatch.dim; ++k) {
        similarity += unitPatches[i][k] * unitClasses[c][k];
      }
      masks.row(i)[c] = static_cast<float>(similarity);
    }
  }
  normalizeReference(masks, weights.norm, masks);
}

// ---- The patch embedding
// --------------------------------------------------------------------------

namespace {

// The dot product of the patch whose first pixel is (top, left) with one row of weights.
double project(const Image& image, std::size_t patch, std::size_t top, std::size_t left,
               const float* weights) {
  double sum = 0;
  for (std::size_t c = 0; c < image.channels; ++c) {
    for (std::size_t y = 0; y < patch; ++y) {
      for (std::size_t x = 0; x < patch; ++x) {
        const float pixel = image.data[(c * image.height + top + y) * image.width + left + x];
        sum += static_cast<double>(pixel) * weights[(c * patch + y) * patch + x];
      }
    }
  }
  return sum;
}

}  // namespace

void patchEmbedReference(const Image& image, const PatchEmbedWeights& weights, Rows out) {
  const std::size_t patch = weights.patch, columns = image.width / patch;
  const ConstRows special = weights.special;
  for (std::size_t s = 0; s < special.count; ++s) {
    std::copy(special.row(s), special.row(s) + out.dim, out.row(s));
  }
  for (std::size_t i = 0; i < patchCount(image, patch); ++i) {
    for (std::size_t k = 0; k < out.dim; ++k) {
      double sum = project(image, patch, i / columns * patch, i % columns * patch,
                           weights.projection.weight.row(k));
      if (weights.projection.bias != nullptr) sum += weights.projection.bias[k];
      if (weights.position.count != 0) sum += weights.position.row(i)[k];
      out.row(special.count + i)[k] = static_cast<float>(sum);
    }
  }
}

// ---- Planes
// ---------------------------------------------------------------------------------------

namespace {

// The place of the source that a tap of a place of the result reads; outside of it: `length`.
std::size_t placeOfTap(const Reach& reach, std::size_t place, std::size_t tap, std::size_t length) {
  const std::size_t shifted = place * reach.stride + tap * reach.dilation;
  return shifted < reach.padding ? length : std::min(shifted - reach.padding, length);
}

}  // namespace

void convolveReference(const Image& source, const ConvolveWeights& weights, std::size_t height,
                       std::size_t width, float* out) {
  const Reach &rows = weights.rows, &columns = weights.columns;
  for (std::size_t output = 0; output < weights.filters.weight.count; ++output) {
    const float bias = weights.filters.bias == nullptr ? 0 : weights.filters.bias[output];
    for (std::size_t place = 0; place < height * width; ++place) {
      const float* filter = weights.filters.weight.row(output);
      double sum = bias;
      for (std::size_t channel = 0; channel < source.channels; ++channel) {
        for (std::size_t tap = 0; tap < rows.taps * columns.taps; ++tap, ++filter) {
          const std::size_t y = placeOfTap(rows, place / width, tap / columns.taps, source.height);
          const std::size_t x =
              placeOfTap(columns, place % width, tap % columns.taps, source.width);
          if (y == source.height || x == source.width) continue;
          sum += static_cast<double>(*filter) *
                 source.data[(channel * source.height + y) * source.width + x];
        }
      }
      *out++ = static_cast<float>(sum);
    }
  }
}

void upsampleReference(const UpsampleSource& source, const Taps& rows, const Taps& columns,
                       float* out) {
  const auto at = [&](std::size_t channel, std::int32_t row, std::int32_t column) -> double {
    const auto y = static_cast<std::size_t>(row), x = static_cast<std::size_t>(column);
    if (source.isRows) return source.data[(y * columns.in + x) * source.channels + channel];
    return source.data[(channel * rows.in + y) * columns.in + x];
  };
  const auto between = [](double first, double second, float weight) {
    return first + static_cast<double>(weight) * (second - first);
  };
  for (std::size_t channel = 0; channel < source.channels; ++channel) {
    for (std::size_t y = 0; y < rows.out(); ++y) {
      for (std::size_t x = 0; x < columns.out(); ++x) {
        const auto alongRow = [&](std::int32_t row) {
          return between(at(channel, row, columns.first[x]), at(channel, row, columns.second[x]),
                         columns.weight[x]);
        };
        *out++ = static_cast<float>(
            between(alongRow(rows.first[y]), alongRow(rows.second[y]), rows.weight[y]));
      }
    }
  }
}

// ---- Positions
// ------------------------------------------------------------------------------------

namespace {

// Of column `i` over the members of a row.
double meanOf(ConstRows table, const Members& members, std::size_t row, std::size_t i) {
  double sum = 0;
  for (const std::int32_t* member = members.begin(row); member != members.end(row); ++member)
    sum += static_cast<double>(table.row(static_cast<std::size_t>(*member))[i]);
  return sum / static_cast<double>(std::max<std::size_t>(members.count(row), 1));
}

}  // namespace

void rotateReference(ConstRows in, const Rotary& rotary, const Members& members, std::size_t heads,
                     Rows out) {
  const std::size_t d = in.dim / heads;
  for (std::size_t row = 0; row < in.count; ++row) {
    for (std::size_t feature = 0; feature < heads * d; ++feature) {
      const std::size_t i = feature % d, pair = (i + d / 2) % d;
      const double x = in.row(row)[feature], y = in.row(row)[feature - i + pair];
      const std::size_t at = rotary.own.dim == d ? i : feature;
      out.row(row)[feature] = static_cast<float>(meanOf(rotary.own, members, row, at) * x +
                                                 meanOf(rotary.other, members, row, at) * y);
    }
  }
}

void biasOfMembersReference(const BiasTable& full, const Members& members, std::size_t heads,
                            float* out) {
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t query = 0; query < members.live(); ++query) {
      for (std::size_t key = 0; key < members.live(); ++key) {
        double sum = 0;
        for (const std::int32_t* i = members.begin(query); i != members.end(query); ++i) {
          for (const std::int32_t* j = members.begin(key); j != members.end(key); ++j)
            sum += static_cast<double>(full.row(head, static_cast<std::size_t>(*i))[*j]);
        }
        const std::size_t pairs = members.count(query) * members.count(key);
        *out++ = static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(pairs, 1)));
      }
    }
  }
}

}  // namespace mpm::vit
