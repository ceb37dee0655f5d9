// SPDX-License-Identifier: Apache-2.0
#include "onnx/small_vit.h"

#include "onnx/facts_case.h"

namespace mpm::test {
namespace {

constexpr std::int64_t kHeads = 2, kWidth = kVitDim / kHeads, kHidden = 8;

void addHead(ModelProto& proto, const std::string& from, std::int64_t rows, const Integers& perm,
             const std::string& to) {
  addLinear(proto, from, kVitDim, kVitDim, to + "_rows");
  addReshape(proto, to + "_rows", {-1, rows, kHeads, kWidth}, to + "_heads");
  addTranspose(proto, to + "_heads", perm, to);
}

}  // namespace

void addImage(ModelProto& proto) { addInput(proto, "image", {-1, 1, 4, 6}); }

std::string addEmbedding(ModelProto& proto, const std::string& name) {
  addSome(proto, name + "_weight", {kVitDim, 1, 2, 2});
  addSome(proto, name + "_bias", {kVitDim});
  auto& conv =
      addNode(proto, "Conv", {"image", name + "_weight", name + "_bias"}, {name + "_grid"});
  onnx::setAttribute(conv, "strides", Integers{2, 2});
  addReshape(proto, name + "_grid", {0, kVitDim, kVitPatches}, name + "_columns");
  addTranspose(proto, name + "_columns", {0, 2, 1}, name + "_patches");
  auto row = someValues({kVitDim}, 0.5F), rows = row;
  rows.insert(rows.end(), row.begin(), row.end());
  addConstant(proto, name + "_class", {2, 1, kVitDim}, rows);
  addConcat(proto, {name + "_class", name + "_patches"}, 1, name + "_all");
  addSome(proto, name + "_position", {1, kVitRows, kVitDim});
  addNode(proto, "Add", {name + "_all", name + "_position"}, {name});
  return name;
}

std::string addMlpHalf(::onnx::ModelProto& proto, const std::string& name) {
  addNorm(proto, name + "_half", kVitDim, name + "_norm2");
  addLinear(proto, name + "_norm2", kVitDim, kHidden, name + "_fc1");
  addNode(proto, "Gelu", {name + "_fc1"}, {name + "_gelu"});
  addLinear(proto, name + "_gelu", kHidden, kVitDim, name + "_fc2");
  addNode(proto, "Add", {name + "_half", name + "_fc2"}, {name});
  return name;
}

std::string addBlock(ModelProto& proto, const std::string& stream, const std::string& name,
                     std::int64_t rows) {
  addNorm(proto, stream, kVitDim, name + "_norm1");
  addHead(proto, name + "_norm1", rows, {0, 2, 1, 3}, name + "_q");
  addHead(proto, name + "_norm1", rows, {0, 2, 3, 1}, name + "_kt");
  addHead(proto, name + "_norm1", rows, {0, 2, 1, 3}, name + "_v");
  addNode(proto, "MatMul", {name + "_q", name + "_kt"}, {name + "_qk"});
  addNumber(proto, name + "_scale", 0.7F);
  addNode(proto, "Mul", {name + "_qk", name + "_scale"}, {name + "_scaled"});
  addNode(proto, "Softmax", {name + "_scaled"}, {name + "_softmax"});
  addNode(proto, "MatMul", {name + "_softmax", name + "_v"}, {name + "_mixed"});
  addTranspose(proto, name + "_mixed", {0, 2, 1, 3}, name + "_turned");
  addReshape(proto, name + "_turned", {-1, rows, kVitDim}, name + "_rows");
  addLinear(proto, name + "_rows", kVitDim, kVitDim, name + "_proj");
  addNode(proto, "Add", {stream, name + "_proj"}, {name + "_half"});
  return addMlpHalf(proto, name);
}

ModelProto smallVit(int blocks) {
  auto proto = emptyModel();
  addImage(proto);
  std::string stream = addEmbedding(proto);
  for (int i = 0; i < blocks; ++i) stream = addBlock(proto, stream, "block" + std::to_string(i));
  addNorm(proto, stream, kVitDim, "y");
  addOutput(proto, "y");
  return proto;
}

}  // namespace mpm::test
