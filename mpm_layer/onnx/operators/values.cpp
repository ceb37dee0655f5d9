// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/values.h"

#include <algorithm>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/shape_call.h"

namespace mpm::onnx {
Values::Values(const Model& model, const std::unordered_map<std::string, Integers>& inputDims)
    : model_(&model) {
  describeInputs(inputDims);
  describeConstants();
  for (const Node* node : model.nodes()) visit(*node);
}

void Values::describeInputs(const std::unordered_map<std::string, Integers>& inputDims) {
  for (const Value& input : model_->inputs()) {
    Dims dims;
    if (input.hasShape) dims.emplace();
    for (const Dim& dim : input.dims) dims->push_back(dim.size);
    const auto given = inputDims.find(input.name);
    if (given != inputDims.end()) {
      const Integers& wanted = given->second;
      const bool isSame = dims && dims->size() == wanted.size() &&
                          std::equal(dims->begin(), dims->end(), wanted.begin(),
                                     [](auto file, auto own) { return file < 0 || file == own; });
      if (dims && !isSame) trustsFile_ = false;
      dims = wanted;
    }
    const bool hasSymbols = dims && input.hasShape && dims->size() == input.dims.size();
    for (std::size_t i = 0; hasSymbols && i < dims->size(); ++i) {
      const std::string& symbol = input.dims[i].symbol;
      if (symbol.empty() || input.dims[i].isKnown()) continue;
      const std::int64_t size = (*dims)[i] >= 0 ? (*dims)[i] : --lastName_;
      const auto [found, isNew] = symbols_.emplace(symbol, size);
      if ((*dims)[i] < 0) (*dims)[i] = found->second;
    }
    const Fact& fact = put(input.name, input.type, std::move(dims));
    isBatchOpen_ = isBatchOpen_ || (!fact.named.empty() && fact.named.front() < 0);
  }
  inputNames_ = lastName_;
}

void Values::describeConstants() {
  for (const auto& proto : model_->proto().graph().initializer()) {
    Fact& fact =
        put(proto.name(), proto.data_type(), Integers(proto.dims().begin(), proto.dims().end()));
    fact.isConstant = true;
    constants_ += smallCount(fact.dims).value_or(0);
  }
}

Values::Fact& Values::put(const std::string& value, int type, std::optional<Integers> dims) {
  Fact& fact = facts_[value];
  fact.type = type;
  if (!dims || dims->size() > kMostRank) return fact;
  fact.hasRank = true;
  fact.dims = *dims;
  fact.named = std::move(*dims);
  for (std::size_t i = 0; i < fact.dims.size(); ++i) {
    std::int64_t& named = fact.named[i];
    if (named > kLargestSize) named = -1;
    if (named == -1) named = --lastName_;
    fact.dims[i] = std::max<std::int64_t>(named, -1);
  }
  return fact;
}

std::optional<Integers> Values::described(const std::string& value) const {
  const auto info = model_->info(value);
  if (!info || !info->hasShape) return std::nullopt;
  Integers dims;
  for (const Dim& dim : info->dims) {
    const auto symbol = symbols_.find(dim.symbol);
    if (dim.isKnown()) {
      dims.push_back(trustsFile_ ? dim.size : -1);
    } else {
      dims.push_back(symbol != symbols_.end() ? symbol->second : -1);
    }
  }
  return dims;
}

const Values::Fact* Values::find(const std::string& value) const {
  const auto source = sources_.find(value);
  const auto found = facts_.find(source == sources_.end() ? value : source->second);
  return found == facts_.end() ? nullptr : &found->second;
}

const Integers* Values::dims(const std::string& value) const {
  const Fact* fact = find(value);
  return fact && fact->hasRank ? &fact->dims : nullptr;
}

const Integers* Values::namedDims(const std::string& value) const {
  const Fact* fact = find(value);
  return fact && fact->hasRank ? &fact->named : nullptr;
}

int Values::type(const std::string& value) const {
  const Fact* fact = find(value);
  return fact ? fact->type : 0;
}

const Known* Values::content(const std::string& value) const {
  const Known* found = known(value);
  if (!found) return nullptr;
  const bool some = found->count() == 0 || std::any_of(found->sure.begin(), found->sure.end(),
                                                       [](char each) { return each != 0; });
  return some ? found : nullptr;
}

}  // namespace mpm::onnx
