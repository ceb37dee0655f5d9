// SPDX-License-Identifier: Apache-2.0
// Rotary positions: regions that are linear in pairs of features, row by row.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/probe.h"

namespace mpm::onnx {

namespace {

constexpr double kTolerance = 1e-5;

using Table = std::vector<float>;
using OfFeature = std::function<float(std::size_t feature)>;

// Runs a region on made-up inputs for a value [.., rows, .., features]. A head axis distinguishes
// each head's rows; a row then has those of all heads in sequence.
class Probe {
 public:
  Probe(const AnalysedModel& analysed, const Region& region, std::size_t rowAxis,
        std::optional<std::size_t> headAxis)
      : analysed_(analysed),
        region_(region),
        dims_(*analysed.values.dims(region.exit)),
        entryDims_(*analysed.values.dims(region.entry)) {
    heads_ = headAxis ? static_cast<std::size_t>(dims_[*headAxis]) : 1;
    rows = static_cast<std::size_t>(dims_[rowAxis]) * heads_;
    features = static_cast<std::size_t>(dims_.back());
    elements_ = features;
    for (std::size_t i = 0; i + 1 < dims_.size(); ++i)
      elements_ *= static_cast<std::size_t>(dims_[i]);
    stride_ = strideOf(rowAxis);
    headStride_ = headAxis ? strideOf(*headAxis) : 0;
  }

  std::size_t rows = 0, features = 0;

  std::size_t rowOf(std::size_t element) const {
    const std::size_t row = element / stride_ % (rows / heads_);
    return heads_ == 1 ? row : row * heads_ + element / headStride_ % heads_;
  }

  // Returns the input's index of an output's element.
  std::size_t placeOf(std::size_t element) const {
    if (entryDims_ == dims_) return element;
    const auto d = static_cast<std::size_t>(dims_[3]), inner = static_cast<std::size_t>(dims_[2]);
    const auto outer = static_cast<std::size_t>(dims_[1]);
    const std::size_t i = element % d, y = element / d % inner, x = element / d / inner % outer;
    return ((element / d / inner / outer * inner + y) * outer + x) * d + i;
  }

  // Returns all output elements for these inputs; empty if they cannot be computed.
  std::vector<float> all(const std::function<float(std::size_t element)>& input) const {
    const LargeResults scope;
    std::optional<KnownTensor> known = unwritten(::onnx::TensorProto::FLOAT, entryDims_);
    if (!known) return {};
    float* const elements = known->floats.write();
    for (std::size_t i = 0; i < known->count(); ++i) elements[placeOf(i)] = input(i);
    const Computed values = run(analysed_, region_, std::move(*known), false);
    const auto made = values.find(region_.exit);
    const bool fits = made != values.end() && made->second.isFloat() && made->second.dims == dims_;
    return fits ? made->second.floats.copy() : std::vector<float>{};
  }

  // Returns a table [rows x features] for each input that depends on the feature alone; none if one
  // cannot be computed. If enough heads and images are not distinguished, each gets one of the
  // inputs, and one run suffices.
  std::vector<Table> byRow(const std::vector<OfFeature>& inputs) const {
    std::vector<Table> tables;
    const std::size_t beside = stride_ / features;
    const auto copyOf = [&](std::size_t element) {
      return element / (stride_ * rows) * beside + element % stride_ / features;
    };
    if (heads_ == 1 && elements_ >= inputs.size() * rows * features) {
      const std::vector<float> values = all([&](std::size_t element) {
        return inputs[std::min(copyOf(element), inputs.size() - 1)](element % features);
      });
      for (std::size_t copy = 0; copy < inputs.size() && !values.empty(); ++copy)
        tables.push_back(
            tableAt(values, copy / beside * stride_ * rows + copy % beside * features));
      return tables;
    }
    for (const OfFeature& input : inputs) {
      const std::vector<float> values = all([&](std::size_t i) { return input(i % features); });
      if (values.empty()) return {};
      tables.push_back(tableAt(values, 0));
    }
    return tables;
  }

 private:
  Table tableAt(const std::vector<float>& values, std::size_t first) const {
    Table table(rows * features);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = first + row / heads_ * stride_ + row % heads_ * headStride_;
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), features,
                  table.begin() + static_cast<std::ptrdiff_t>(row * features));
    }
    return table;
  }
  std::size_t strideOf(std::size_t axis) const {
    std::size_t stride = 1;
    for (std::size_t i = axis + 1; i < dims_.size(); ++i)
      stride *= static_cast<std::size_t>(dims_[i]);
    return stride;
  }

  const AnalysedModel& analysed_;
  const Region& region_;
  Integers dims_, entryDims_;
  std::size_t heads_ = 1, elements_ = 0, stride_ = 1, headStride_ = 0;
};

// Finds pairs p from inputs 1, i and i^2 of feature i, with results own x[i] + other x[p]. The
// third less i^2 times the first, over the second less i times the first, is p + i. Features that
// give no such sum pair up in their order.
std::optional<Integers> pairsOf(const Probe& probe) {
  const std::vector<Table> tables = probe.byRow(
      {[](std::size_t) { return 1.0F; }, [](std::size_t i) { return static_cast<float>(i); },
       [](std::size_t i) { return static_cast<float>(i * i); }});
  if (tables.empty()) return std::nullopt;
  const Table &ones = tables[0], &firsts = tables[1], &squares = tables[2];
  const auto d = static_cast<std::int64_t>(probe.features);
  Integers pair(probe.features, -1);
  for (std::size_t i = 0; i < probe.features; ++i) {
    const auto at = static_cast<double>(i);
    double most = 1e-3, sum = -1;
    for (std::size_t n = 0; n < probe.rows; ++n) {
      const std::size_t e = n * probe.features + i;
      const double first = static_cast<double>(firsts[e]) - at * static_cast<double>(ones[e]);
      if (std::abs(first) <= most) continue;
      most = std::abs(first);
      sum = (static_cast<double>(squares[e]) - at * at * static_cast<double>(ones[e])) / first;
    }
    if (most > 1e-3) pair[i] = std::llround(sum - at);
  }
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < probe.features; ++i) {
    const std::int64_t other = pair[i];
    if (other < 0) {
      alone.push_back(i);
    } else if (other >= d || other == static_cast<std::int64_t>(i) ||
               pair[static_cast<std::size_t>(other)] != static_cast<std::int64_t>(i)) {
      return std::nullopt;
    }
  }
  if (alone.size() % 2 != 0 || alone.size() == probe.features) return std::nullopt;
  for (std::size_t i = 0; i < alone.size(); i += 2) {
    pair[alone[i]] = static_cast<std::int64_t>(alone[i + 1]);
    pair[alone[i + 1]] = static_cast<std::int64_t>(alone[i]);
  }
  return pair;
}

// Reads the factors with inputs that are 1 on one side of the pairs and 0 on the other.
bool readFactors(const Probe& probe, FoundRotary& found) {
  const auto isFirst = [&](std::size_t i) { return static_cast<std::int64_t>(i) < found.pair[i]; };
  const std::vector<Table> tables =
      probe.byRow({[&](std::size_t i) { return isFirst(i) ? 1.0F : 0.0F; },
                   [&](std::size_t i) { return isFirst(i) ? 0.0F : 1.0F; }});
  if (tables.empty()) return false;
  const Table &firsts = tables[0], &seconds = tables[1];
  found.own.resize(firsts.size());
  found.other.resize(firsts.size());
  for (std::size_t e = 0; e < firsts.size(); ++e) {
    const bool first = isFirst(e % probe.features);
    found.own[e] = first ? firsts[e] : seconds[e];
    found.other[e] = first ? seconds[e] : firsts[e];
  }
  return true;
}

// Tells whether random inputs give the results of these factors in every head and image.
bool holds(const Probe& probe, const FoundRotary& found) {
  const std::vector<float> values = probe.all(noise);
  if (values.empty()) return false;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t i = e % probe.features, at = probe.rowOf(e) * probe.features + i;
    const auto other = static_cast<std::size_t>(found.pair[i]);
    const double expected =
        static_cast<double>(found.own[at]) * static_cast<double>(noise(e)) +
        static_cast<double>(found.other[at]) * static_cast<double>(noise(e - i + other));
    if (!(std::abs(static_cast<double>(values[e]) - expected) <= kTolerance)) return false;
  }
  return true;
}

std::optional<FoundRotary> factorsOf(const Probe& probe) {
  FoundRotary found;
  const std::optional<Integers> pair = pairsOf(probe);
  if (!pair) return std::nullopt;
  found.pair = *pair;
  if (!readFactors(probe, found) || !holds(probe, found)) return std::nullopt;
  return found;
}

std::optional<FoundRotary> factorsOf(const AnalysedModel& analysed, const Region& region,
                                     std::size_t rowAxis, std::optional<std::size_t> headAxis) {
  std::optional<FoundRotary> found = factorsOf(Probe(analysed, region, rowAxis, std::nullopt));
  if (found || !headAxis) return found;
  found = factorsOf(Probe(analysed, region, rowAxis, headAxis));
  if (found) found->heads = (*analysed.values.dims(region.exit))[*headAxis];
  return found;
}

// Returns a text of a region's computation without its constants' elements, which it lists.
std::string spell(const AnalysedModel& analysed, const Region& region,
                  std::vector<const KnownTensor*>& constants) {
  std::unordered_map<std::string, std::string> names{{"", ""}, {region.entry, "input"}};
  const auto nameOf = [&](const std::string& value) {
    return names.emplace(value, std::to_string(names.size())).first->second;
  };
  std::string spelling;
  for (auto node = region.nodes.rbegin(); node != region.nodes.rend(); ++node) {
    Node plain = **node;
    plain.clear_name();
    plain.clear_doc_string();
    for (std::string& input : *plain.mutable_input()) {
      const bool isNew = names.count(input) == 0;
      const KnownTensor* content = isNew ? analysed.values.content(input) : nullptr;
      if (content != nullptr) constants.push_back(content);
      input = nameOf(input);
    }
    for (std::string& made : *plain.mutable_output()) made = nameOf(made);
    const std::string bytes = plain.SerializeAsString();
    spelling += std::to_string(bytes.size()) + ":" + bytes;
  }
  spelling += nameOf(region.exit);
  for (const std::string& value : {region.entry, region.exit}) {
    spelling += " of";
    for (const std::int64_t dim : *analysed.values.dims(value))
      spelling += " " + std::to_string(dim);
  }
  return spelling;
}

bool areEqual(const KnownTensor* a, const KnownTensor* b) {
  return a == b || (a->type == b->type && a->dims == b->dims && a->integers == b->integers &&
                    a->floats == b->floats && a->sure == b->sure);
}

// Returns cached factors. All blocks of a network rotate q and k alike, and finders ask about each
// several times. One answer takes a quarter of a second for a thousand rows. Regions are the same
// if nodes and elements of constants are, whatever the names of values.
const std::optional<FoundRotary>& rememberedFactors(const AnalysedModel& analysed,
                                                    const Region& region, std::size_t rowAxis,
                                                    std::optional<std::size_t> headAxis) {
  Probed::Turned turned;
  std::string spelling = spell(analysed, region, turned.constants);
  spelling += " rows " + std::to_string(rowAxis);
  if (headAxis) spelling += " heads " + std::to_string(*headAxis);
  auto& before = probedOf(analysed).turned;
  const auto [begin, end] = before.equal_range(spelling);
  const auto same = std::find_if(begin, end, [&](const auto& each) {
    const std::vector<const KnownTensor*>& constants = each.second.constants;
    return std::equal(constants.begin(), constants.end(), turned.constants.begin(),
                      turned.constants.end(), areEqual);
  });
  if (same != end) return same->second.factors;
  turned.factors = factorsOf(analysed, region, rowAxis, headAxis);
  return before.emplace(std::move(spelling), std::move(turned))->second.factors;
}

bool mayTurn(const AnalysedModel& /*analysed*/, const Node& node) {
  return isAny(node, {"Add", "Sub", "Mul", "Neg", "Concat", "Slice", "Split", "Reshape",
                      "Transpose", "Squeeze", "Unsqueeze", "Gather", "ScatterND", "Identity",
                      "Cast", "Expand", "Flatten"});
}

}  // namespace

std::optional<FoundRotary> findRotary(const AnalysedModel& analysed, const std::string& output,
                                      std::size_t rowAxis, std::optional<std::size_t> headAxis) {
  constexpr std::size_t kMostNodes = 64;
  const Integers* dims = analysed.values.dims(output);
  if (dims == nullptr || dims->size() < 3 || rowAxis + 1 >= dims->size()) return std::nullopt;
  if (std::any_of(dims->begin(), dims->end(), [](auto dim) { return dim < 1; }))
    return std::nullopt;
  Integers swapped = *dims;
  if (swapped.size() == 4) std::swap(swapped[1], swapped[2]);
  for (const Region& region : regionsBehind(analysed, output, kMostNodes, mayTurn)) {
    const Integers* before = analysed.values.dims(region.entry);
    if (before == nullptr || (*before != *dims && *before != swapped)) continue;
    std::optional<FoundRotary> found = rememberedFactors(analysed, region, rowAxis, headAxis);
    if (!found) return std::nullopt;
    found->input = region.entry;
    found->swapsAxes = *before != *dims;
    found->nodes = region.nodes;
    return found;
  }
  return std::nullopt;
}

}  // namespace mpm::onnx
