// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/token_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

template <class Table>
auto* found(Table& table, const std::string& key) {
  const auto place = table.find(key);
  return place == table.end() ? nullptr : &place->second;
}

}  // namespace

bool TokenValues::takeEmbedding(const std::string& value) {
  if (isInside()) return false;  // a swap there is the block's own, as attention may want it
  const auto known = [&](const std::string& input) {
    // A value that became tokens already is not an embedding.
    return tokens_.count(input) != 0 ? nullptr : embedding(input);
  };
  auto taken = findEmbedding(analysed_, value, known);
  if (!taken) return false;
  embeddings_.emplace(value, std::move(*taken));
  return true;
}

bool TokenValues::isFlat(const std::string& value, const Tokens& tokens) const {
  const Embedding* source = found(encoders_, tokens.encoder);
  const std::int64_t images = source == nullptr ? batch() : source->batch;
  Integers expected{images, tokens.count(), tokens.dim};
  if (tokens.windows.areThere()) {
    const std::int64_t windows = tokens.windows.count();
    expected = {images * windows, tokens.count() / windows, tokens.dim};
  } else if (tokens.dropsRows) {
    expected = {images, tokens.dim};
  } else if (tokens.rowsFirst) {
    expected = {tokens.count(), images, tokens.dim};
  }
  const Integers* dims = analysed_.values.dims(value);
  return dims == nullptr || *dims != expected;
}

bool TokenValues::isGrid(const std::string& value, const Tokens& tokens) const {
  const Integers* dims = analysed_.values.dims(value);
  const Embedding* embedding = found(encoders_, tokens.encoder);
  return dims != nullptr && embedding != nullptr && tokens.isImageOnly() && !tokens.rowsFirst &&
         !tokens.windows.areThere() && !tokens.isPadded() &&
         *dims ==
             Integers{embedding->batch, embedding->gridHeight, embedding->gridWidth, tokens.dim};
}

std::optional<Integers> TokenValues::dimsInWindows(const std::string& value,
                                                   const Tokens& tokens) const {
  const Integers* dims = analysed_.values.dims(value);
  if (!tokens.windows.areThere() || tokens.isPadded() || dims == nullptr || dims->size() < 2 ||
      dims->front() % batch() != 0 || dims->back() != tokens.dim)
    return std::nullopt;
  Integers open = *dims;
  open.front() = -1;
  return open;
}

void TokenValues::setTokens(const std::string& value, Tokens tokens) {
  tokens.flat = isFlat(value, tokens);
  tokens_[value] = std::move(tokens);
}

const Embedding* TokenValues::embedding(const std::string& value) const {
  return found(embeddings_, value);
}

const Tokens* TokenValues::tokens(const std::string& value) {
  const bool isStream = inside_ != nullptr && (value == inside_->stream ||
                                               behindRowViews(analysed_, value) == inside_->stream);
  return isStream ? mergedStream() : found(tokens_, value);
}

const Tokens* TokenValues::mergedStream() {
  const auto made = merged_.find(inside_->stream);
  if (made != merged_.end()) return &made->second;
  const Tokens* before = asPlanned(inside_->stream);
  if (before == nullptr || !before->inEncoder || !before->hasAll()) return before;
  return &merged_.emplace(inside_->stream, emit_.merge(*before, before->blocks)).first->second;
}

bool TokenValues::isThere(const std::string& value) const {
  return tokens_.count(value) != 0 || embeddings_.count(value) != 0;
}

const Tokens* TokenValues::tokensToBe(const std::string& value) {
  const Tokens* known = tokens(value);
  return known != nullptr ? known : asPlanned(value);
}

const Tokens* TokenValues::asPlanned(const std::string& value) {
  if (const Tokens* known = found(tokens_, value)) return known;
  const Embedding* embedded = embedding(value);
  if (embedded == nullptr || !embedded->hasImage()) return nullptr;
  const bool asItIs = options_.gridHeight == 0;
  if (embedded->windows.areThere() && !isOwnGrid(*embedded))
    noteOwnGrid("its blocks attend within windows, which are for its own size alone");
  Tokens tokens = emit_.patchEmbed(*embedded, asItIs ? embedded->gridHeight : options_.gridHeight,
                                   asItIs ? embedded->gridWidth : options_.gridWidth);
  encoders_.emplace(tokens.blob, *embedded);
  tokens.encoder = tokens.blob;
  tokens.flat = isFlat(value, tokens);
  return &tokens_.emplace(value, std::move(tokens)).first->second;
}

const Embedding* TokenValues::oddEmbedding() const {
  for (const auto& [blob, embedding] : encoders_) {
    const Integers* dims = analysed_.values.dims(embedding.image);
    if (dims == nullptr || dims->size() != 4 ||
        (*dims)[2] != embedding.gridHeight * embedding.patch ||
        (*dims)[3] != embedding.gridWidth * embedding.patch)
      return &embedding;
  }
  return nullptr;
}

bool TokenValues::isOwnGrid(const Embedding& embedding) const {
  return options_.gridHeight == 0 ||
         (embedding.gridHeight == options_.gridHeight && embedding.gridWidth == options_.gridWidth);
}

bool TokenValues::hasOwnGrid() const {
  return options_.gridHeight == 0 ||
         (!encoders_.empty() &&
          std::all_of(encoders_.begin(), encoders_.end(),
                      [&](const auto& encoder) { return isOwnGrid(encoder.second); }));
}

bool TokenValues::isStreamDealt() {
  const Tokens* stream = inside_ == nullptr ? nullptr : mergedStream();
  return stream != nullptr && stream->windows.areThere();
}

const Tokens* TokenValues::outside(const std::string& value) {
  const Tokens* known = tokens(value);
  if (known == nullptr || options_.lateRestore || known->map.empty()) return known;
  if (isInside() && known->inEncoder) return known;
  return &(early_[value] = restored(*known));
}

Tokens TokenValues::restored(const Tokens& tokens) {
  auto made = restored_.find(tokens.blob);
  if (made == restored_.end()) made = restored_.emplace(tokens.blob, emit_.restore(tokens)).first;
  Tokens result = tokens;
  result.blob = made->second.blob;
  result.rows.clear();
  result.map.clear();
  result.isScores = false;
  return result;
}

std::optional<std::string> TokenValues::whole(const std::string& value) {
  if (const std::string* dense = found(dense_, value)) return *dense;
  const Tokens* known = tokens(value);
  const bool isOnGrid = known != nullptr && known->flat && isGrid(value, *known);
  const std::optional<Integers> inWindows =
      known != nullptr && known->flat ? dimsInWindows(value, *known) : std::nullopt;
  if (known == nullptr || (known->flat && !isOnGrid && !inWindows)) return std::nullopt;
  auto planned = whole_.find(value);
  if (planned != whole_.end()) return planned->second;
  std::string name = planWhole(*known);
  if (inWindows) name = emit_.plain("Reshape", {name, emit_.integers("dims", *inWindows)});
  if (isOnGrid) {
    const Integers dims{0, known->gridHeight, known->gridWidth, known->dim};
    name = emit_.plain("Reshape", {name, emit_.integers("dims", dims)});
  }
  return whole_.emplace(value, name).first->second;
}

// Restores rows window by window, as the model has them: [B windows, rows, D].
std::string TokenValues::planWindows(const Tokens& tokens) {
  const auto [down, across, height, width] = tokens.windows;
  const auto reshape = [&](const std::string& blob, const Integers& dims) {
    return emit_.plain("Reshape", {blob, emit_.integers("dims", dims)});
  };
  std::vector<std::string> pieces;
  for (const Part& part : tokens.parts) {
    if (!part.isImage) {
      const std::int64_t share = (part.end - part.begin) / tokens.windows.count();
      pieces.push_back(
          reshape(emit_.slice(tokens.blob, part.begin, part.end), {-1, share, tokens.dim}));
      continue;
    }
    std::string image = tokens.blob;
    if (tokens.special > 0)
      image = emit_.slice(image, tokens.special, tokens.special + tokens.image);
    image = emit_.plain("Transpose", {reshape(image, {-1, height, across, width * tokens.dim})});
    setAttribute(emit_.last().node, "perm", Integers{0, 2, 1, 3});
    pieces.push_back(reshape(image, {-1, height * width, tokens.dim}));
  }
  if (pieces.size() == 1) return pieces.front();
  const std::string name = emit_.plain("Concat", pieces);
  setAttribute(emit_.last().node, "axis", std::int64_t{1});
  return name;
}

std::string TokenValues::planWhole(const Tokens& tokens) {
  const Tokens all = tokens.isSpecialOnly() || tokens.map.empty() ? tokens : restored(tokens);
  if (all.windows.areThere()) return planWindows(all);
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
