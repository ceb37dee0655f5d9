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

// What is known of every value of a model for given shapes of its inputs: its type, its dims and,
// where they do not depend on a frame, its elements, or some of them. Worked out once, for the
// graph as it is then; of values that edits add afterwards nothing is known, and what is said of
// the others stays true as long as an edit does not change what they are. It may not outlive the
// model, and is for one thread at a time.
//
// Operators that are not known give values of which only the file's own description tells anything.
// Where a file describes a value, that fills in what could not be worked out; its numbers are left
// aside where inputDims contradict a number of the file's inputs, for they hold for other inputs.
// Costs at most about a second and a few hundred MB, whatever the file says, and 32 times as much
// time as its constants take. ModelError where an attribute is not of its kind.
class Values {
 public:
  // inputDims: by an input's name; -1 for a size that is not known. Inputs that are left out are as
  // the file says.
  explicit Values(const Model& model,
                  const std::unordered_map<std::string, Integers>& inputDims = {});

  // -1: a size that is not known. Null where not even the rank is known.
  const Integers* dims(const std::string& value) const;

  // The same, but sizes that are not known are told apart: each is a number below -1, and equal
  // numbers are sizes that are equal for certain.
  const Integers* namedDims(const std::string& value) const;

  // Null unless some elements are known; all of them are if isSure(). Elements that are not sure
  // hold nothing of meaning. A constant is copied when it is first asked for; null for one over
  // 2^25 elements or of a type that is not folded (see Known), and for large values of which
  // constants alone are made.
  const KnownTensor* content(const std::string& value) const;

  // ::onnx::TensorProto::FLOAT and so on, 0 where unknown.
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
  // Whether a dim is an open size of an input. Exporters write the number that they ran with (a
  // batch of 2) for values that have the input's size.
  bool isInputs(std::int64_t dim) const { return dim < -1 && dim >= inputNames_; }
  // Whether what the file says of an axis whose size is not known holds for any input: two batches
  // side by side, or a half of one, have a size of their own, for which exporters write a number,
  // too.
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

// A model, and what is known of its values for one choice of input sizes.
struct AnalysedModel {
  const Model& model;
  const Values& values;
  mutable std::shared_ptr<Probed> probed = {};  // what finders asked before
};

}  // namespace mpm::onnx
