// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "onnx/graph/model.h"
#include "onnx/operators/known_tensor.h"

namespace mpm::onnx {

// Facts about every value of a model for given shapes of its inputs: its type and dims. Elements
// are known, or some of them, if they do not depend on a frame. They are computed once, for the
// graph at that time. Values that later edits add have no facts; facts about others hold while
// edits do not change them. It may not outlive the model, and is for one thread at a time.
//
// Values of unknown operators only have the file's own description. Such descriptions fill in facts
// that could not be inferred. Their numbers are ignored if inputDims contradict a number of the
// file's inputs, since they then hold for other inputs. Costs at most about a second and a few
// hundred MB for any file, and 32 times the time for its constants. Throws a ModelError if an
// attribute has the wrong kind.
class Values {
 public:
  // inputDims: by an input's name; -1 for an unknown size. Other inputs are as the file says.
  explicit Values(const Model& model,
                  const std::unordered_map<std::string, Integers>& inputDims = {});

  // -1: an unknown size. Returns null if not even the rank is known.
  const Integers* dims(const std::string& value) const;

  // Returns dims with names for unknown sizes: each is a number below -1, and equal numbers are
  // certainly equal sizes.
  const Integers* namedDims(const std::string& value) const;

  // Returns null unless some elements are known; all of them are if isSure(). Elements that are not
  // sure mean nothing. A constant is copied on first use. Returns null for constants over 2^25
  // elements or of types that are not folded (see isFolded), and for large values that only make
  // constants.
  const KnownTensor* content(const std::string& value) const;

  // Returns ::onnx::TensorProto::FLOAT and so on, 0 if unknown.
  int type(const std::string& value) const;

 private:
  struct Fact {
    int type = 0;
    bool hasRank = false;
    Integers dims, named;
    std::optional<KnownTensor> content;
    bool isConstant = false;
  };

  void describeInputs(const std::unordered_map<std::string, Integers>& inputDims);
  void describeConstants();
  void visit(const Node& node);
  void visitIdentity(const Node& node);
  bool evaluate(const Node& node);  // whether all of its outputs are known
  void release(const Node& node);
  bool spend(const Node& node);
  std::size_t summedBy(const Node& einsum) const;
  std::size_t depthOf(const Node& node) const;
  Fact& put(const std::string& value, int type, std::optional<Integers> dims);
  std::optional<Integers> described(const std::string& value) const;
  // Tells whether a dim is an open size of an input. For values with such a size exporters write
  // the number of their own run (a batch of 2).
  bool isInputs(std::int64_t dim) const { return dim < -1 && dim >= inputNames_; }
  // Tells whether the file's number for an unknown size holds for any input. Two batches together,
  // or half of one, have another size, for which exporters write a number too.
  bool takesNumber(const Integers& dims, std::size_t axis) const {
    return !isInputs(dims[axis]) && !(isBatchOpen_ && axis == 0 && dims.size() > 1);
  }
  const Fact* find(const std::string& value) const;
  const KnownTensor* known(const std::string& value) const;
  static bool isFoldable(const Fact& fact);
  static std::size_t costOf(const Fact& fact);

  const Model* model_;
  mutable std::unordered_map<std::string, Fact> analysed_;  // contents of constants come later
  std::unordered_map<std::string, std::size_t> constantReaders_;  // of large values
  std::unordered_map<std::string, std::string> sources_;   // what an Identity's output really is
  std::unordered_map<std::string, std::int64_t> symbols_;  // of the inputs: number, or name
  bool trustsFile_ = true;                                 // the file's numbers, that is
  std::int64_t lastName_ = -1, inputNames_ = -1;           // names go down from -2
  bool isBatchOpen_ = false;                               // the first axis of an input
  std::size_t spent_ = 0, constants_ = 0;                  // elements of those that can be known
};

struct Probed;

// A model, and the facts about its values for one choice of input sizes.
struct AnalysedModel {
  const Model& model;
  const Values& values;
  mutable std::shared_ptr<Probed> probed = {};  // what finders asked before
};

}  // namespace mpm::onnx
