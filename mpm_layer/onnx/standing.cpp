// SPDX-License-Identifier: Apache-2.0
#include "onnx/standing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/view.h"

namespace mpm::onnx {
namespace {

template <class Table>
auto* found(Table& table, const std::string& key) {
  const auto place = table.find(key);
  return place == table.end() ? nullptr : &place->second;
}

}  // namespace

bool Standing::takeEmbedding(const std::string& value) {
  if (isInside()) return false;  // a swap there is the block's own, as attention may want it
  const auto known = [&](const std::string& input) {
    // What became tokens already is no embedding any more.
    return tokens_.count(input) != 0 ? nullptr : embedding(input);
  };
  auto taken = findEmbedding(facts_, value, known);
  if (!taken) return false;
  embeddings_.emplace(value, std::move(*taken));
  return true;
}

bool Standing::isFlat(const std::string& value, const Tokens& tokens) const {
  Integers expected{batch(), tokens.count(), tokens.dim};
  if (tokens.dropsRows) {
    expected = {batch(), tokens.dim};
  } else if (tokens.rowsFirst) {
    expected = {tokens.count(), batch(), tokens.dim};
  }
  const Integers* dims = facts_.values.dims(value);
  return dims == nullptr || *dims != expected;
}

bool Standing::isGrid(const std::string& value, const Tokens& tokens) const {
  const Integers* dims = facts_.values.dims(value);
  const Embedding* embedding = found(encoders_, tokens.encoder);
  return dims != nullptr && embedding != nullptr && tokens.isImageOnly() && !tokens.rowsFirst &&
         *dims == Integers{batch(), embedding->gridHeight, embedding->gridWidth, tokens.dim};
}

void Standing::setTokens(const std::string& value, Tokens tokens) {
  tokens.flat = isFlat(value, tokens);
  tokens_[value] = std::move(tokens);
}

const Embedding* Standing::embedding(const std::string& value) const {
  return found(embeddings_, value);
}

const Tokens* Standing::tokens(const std::string& value) {
  const bool isStream = inside_ != nullptr && (value == inside_->stream ||
                                               behindRowViews(facts_, value) == inside_->stream);
  return isStream ? mergedStream() : found(tokens_, value);
}

const Tokens* Standing::mergedStream() {
  const auto made = merged_.find(inside_->stream);
  if (made != merged_.end()) return &made->second;
  const Tokens* before = asPlanned(inside_->stream);
  if (before == nullptr || !before->inEncoder || !before->hasAll()) return before;
  return &merged_.emplace(inside_->stream, emit_.merge(*before, before->blocks)).first->second;
}

const Tokens* Standing::tokensToBe(const std::string& value) {
  const Tokens* known = tokens(value);
  return known != nullptr ? known : asPlanned(value);
}

const Tokens* Standing::asPlanned(const std::string& value) {
  if (const Tokens* known = found(tokens_, value)) return known;
  const Embedding* embedded = embedding(value);
  if (embedded == nullptr || !embedded->hasImage()) return nullptr;
  const bool asItIs = options_.gridHeight == 0;
  Tokens tokens = emit_.patchEmbed(*embedded, asItIs ? embedded->gridHeight : options_.gridHeight,
                                   asItIs ? embedded->gridWidth : options_.gridWidth);
  encoders_.emplace(tokens.blob, *embedded);
  tokens.encoder = tokens.blob;
  tokens.flat = isFlat(value, tokens);
  return &tokens_.emplace(value, std::move(tokens)).first->second;
}

const Embedding* Standing::oddEmbedding() const {
  for (const auto& [blob, embedding] : encoders_) {
    const Integers* dims = facts_.values.dims(embedding.image);
    if (dims == nullptr || dims->size() != 4 ||
        (*dims)[2] != embedding.gridHeight * embedding.patch ||
        (*dims)[3] != embedding.gridWidth * embedding.patch)
      return &embedding;
  }
  return nullptr;
}

bool Standing::hasOwnGrid() const {
  return options_.gridHeight == 0 ||
         (!encoders_.empty() &&
          std::all_of(encoders_.begin(), encoders_.end(), [&](const auto& encoder) {
            return encoder.second.gridHeight == options_.gridHeight &&
                   encoder.second.gridWidth == options_.gridWidth;
          }));
}

const Tokens* Standing::outside(const std::string& value) {
  const Tokens* known = tokens(value);
  if (known == nullptr || options_.lateRestore || known->map.empty()) return known;
  if (isInside() && known->inEncoder) return known;
  return &(early_[value] = restored(*known));
}

Tokens Standing::restored(const Tokens& tokens) {
  auto made = restored_.find(tokens.blob);
  if (made == restored_.end()) made = restored_.emplace(tokens.blob, emit_.restore(tokens)).first;
  Tokens result = tokens;
  result.blob = made->second.blob;
  result.rows.clear();
  result.map.clear();
  result.isScores = false;
  return result;
}

std::optional<std::string> Standing::whole(const std::string& value) {
  if (const std::string* dense = found(dense_, value)) return *dense;
  const Tokens* known = tokens(value);
  const bool isOnGrid = known != nullptr && known->flat && isGrid(value, *known);
  if (known == nullptr || (known->flat && !isOnGrid)) return std::nullopt;
  auto planned = whole_.find(value);
  if (planned != whole_.end()) return planned->second;
  std::string name = planWhole(*known);
  if (isOnGrid) {
    const Integers dims{0, known->gridHeight, known->gridWidth, known->dim};
    name = emit_.plain("Reshape", {name, emit_.integers("dims", dims)});
  }
  return whole_.emplace(value, name).first->second;
}

std::string Standing::planWhole(const Tokens& tokens) {
  const Tokens all = tokens.isSpecialOnly() || tokens.map.empty() ? tokens : restored(tokens);
  std::string name = all.blob;
  if (!all.isWhole()) {
    std::vector<std::string> pieces;
    for (const Part& part : all.parts) {
      pieces.push_back(part.isImage ? emit_.slice(all.blob, all.special, all.special + all.image)
                                    : emit_.slice(all.blob, part.begin, part.end));
    }
    name = pieces.front();
    if (pieces.size() > 1) {
      name = emit_.plain("Concat", pieces);
      setAttribute(emit_.last().node, "axis", std::int64_t{1});
    }
  }
  if (all.dropsRows) {
    name = emit_.plain("Flatten", {name});
    setAttribute(emit_.last().node, "axis", std::int64_t{1});
  } else if (all.rowsFirst) {
    name = emit_.plain("Transpose", {name});
    setAttribute(emit_.last().node, "perm", Integers{1, 0, 2});
  }
  return name;
}

}  // namespace mpm::onnx
