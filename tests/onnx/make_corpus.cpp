// SPDX-License-Identifier: Apache-2.0
// Writes the corpus of the fuzzer of models, and the seeds of that of weights: usage: make_corpus
// FOLDER WEIGHTS. Names that begin with refused_ are models that readModel refuses.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/proto_model.h"
#include "onnx/small_vit.h"

namespace mpm::test {
namespace {

using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

std::filesystem::path folder;

void save(const std::string& name, const std::string& bytes) {
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

void save(const std::string& name, const ModelProto& model) {
  save(name, model.SerializeAsString());
}

// One constant of each type that is read, raw and typed.
ModelProto everyType() {
  auto model = linearModel();
  const std::pair<int, int> types[] = {
      {TensorProto::FLOAT, 4}, {TensorProto::DOUBLE, 8},   {TensorProto::FLOAT16, 2},
      {TensorProto::INT8, 1},  {TensorProto::BFLOAT16, 2}, {TensorProto::UINT16, 2},
      {TensorProto::INT64, 8}, {TensorProto::UINT32, 4},   {TensorProto::BOOL, 1}};
  for (const auto& [type, bytes] : types) {
    auto& tensor = addConstant(model, "raw" + std::to_string(type), {2}, {});
    tensor.set_data_type(type);
    tensor.set_raw_data(std::string(static_cast<std::size_t>(2 * bytes), '<'));
  }
  auto& typed = addConstant(model, "typed", {2}, {});
  typed.clear_raw_data();
  typed.set_data_type(TensorProto::INT32);
  typed.add_int32_data(-1);
  typed.add_int32_data(7);
  auto& strings = addConstant(model, "strings", {1}, {});
  strings.clear_raw_data();
  strings.set_data_type(TensorProto::STRING);
  strings.add_string_data("cat");
  return model;
}

ModelProto subgraphs() {
  auto model = linearModel();
  auto& choice = addNode(model, "If", {"scores"}, {"either"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* attribute = choice.add_attribute();
    attribute->set_name(name);
    attribute->set_type(::onnx::AttributeProto::GRAPH);
    auto* inner = attribute->mutable_g()->add_node();
    inner->set_op_type("Relu");
    inner->add_input("product");
    inner->add_output("inner");
    attribute->mutable_g()->add_output()->set_name("inner");
  }
  addOutput(model, "either");
  return model;
}

// What an exporter leaves of x.view(b, -1, 2): shape arithmetic.
ModelProto shapes() {
  auto model = emptyModel();
  addInput(model, "x", {2, 6});
  const auto integers = [&](const std::string& name, const std::vector<std::int64_t>& values) {
    *model.mutable_graph()->add_initializer() =
        onnx::integerTensor(name, {static_cast<std::int64_t>(values.size())}, values);
  };
  integers("zero", {0});
  integers("one", {1});
  integers("rest", {-1, 2});
  addNode(model, "Shape", {"x"}, {"shape"});
  addNode(model, "Gather", {"shape", "zero"}, {"batch"});
  addNode(model, "Slice", {"shape", "zero", "one"}, {"front"});
  addNode(model, "Mul", {"batch", "one"}, {"product"});
  addNode(model, "Concat", {"product", "rest"}, {"target"}).set_domain("ai.onnx");
  onnx::setAttribute(*model.mutable_graph()->mutable_node(4), "axis", std::int64_t{0});
  onnx::setAttribute(addNode(model, "Cast", {"front"}, {"cast"}), "to", std::int64_t{1});
  addNode(model, "Range", {"zero", "one", "one"}, {"range"});
  addNode(model, "Equal", {"target", "rest"}, {"equal"});
  addNode(model, "Expand", {"one", "shape"}, {"expanded"});
  addNode(model, "Unsqueeze", {"cast", "zero"}, {"wide"});
  addNode(model, "Identity", {"x"}, {"same"});
  addNode(model, "Reshape", {"same", "target"}, {"y"});
  addOutput(model, "y");
  addOutput(model, "wide");
  addOutput(model, "expanded");
  return model;
}

ModelProto constantNodes() {
  auto model = linearModel();
  for (const char* name :
       {"value_int", "value_float", "value_ints", "value_floats", "value_string"}) {
    addNode(model, "Constant", {}, {name}).add_attribute()->set_name(name);
  }
  addOutput(model, "value_int");
  return model;
}

ModelProto rare() {  // sparse constants, functions, metadata, a constant that is an input
  auto model = linearModel();
  model.set_ir_version(3);
  addInput(model, "weight", {4, 2});
  auto* sparse = model.mutable_graph()->add_sparse_initializer();
  sparse->mutable_values()->set_name("sparse");
  sparse->mutable_values()->set_data_type(TensorProto::FLOAT);
  sparse->mutable_values()->add_dims(0);
  auto* function = model.add_functions();
  function->set_name("Norm");
  function->add_node()->set_op_type("Relu");
  auto* entry = model.add_metadata_props();
  entry->set_key("mpm.patch");
  entry->set_value("16");
  return model;
}

ModelProto unsorted() {
  auto model = emptyModel();
  addInput(model, "x", {1});
  addNode(model, "Add", {"a", "b"}, {"c"});
  addNode(model, "Relu", {"b"}, {"a"});
  addNode(model, "Relu", {"x"}, {"b"});
  addOutput(model, "c");
  return model;
}

void addWhole(ModelProto& model, const std::string& name, int type,
              const std::vector<std::int64_t>& dims, std::size_t count) {
  auto& tensor = addConstant(model, name, dims, {});
  tensor.set_data_type(type);
  tensor.set_raw_data(std::string(count, '\3'));
}

// Every way to write whole numbers with scales that is read.
ModelProto quantised() {
  auto model = emptyModel();
  addInput(model, "x", {1, 4, 4});
  addOutput(model, "y");
  addConstant(model, "s", {}, {0.5F});
  addConstant(model, "ss", {4}, {0.5F, 1, 2, 3});
  addWhole(model, "z", TensorProto::UINT8, {}, 1);
  addWhole(model, "w", TensorProto::INT8, {4, 4}, 16);
  addNode(model, "DequantizeLinear", {"w", "ss"}, {"weight"});
  addNode(model, "QuantizeLinear", {"x", "s", "z"}, {"q"});
  addNode(model, "Reshape", {"q", "shape"}, {"shaped"});
  addConstant(model, "shape", {3}, {}).set_data_type(TensorProto::INT64);
  model.mutable_graph()
      ->mutable_initializer(model.graph().initializer_size() - 1)
      ->set_raw_data(std::string(24, '\0'));
  addNode(model, "DequantizeLinear", {"shaped", "s", "z"}, {"d"});
  addNode(model, "MatMul", {"d", "weight"}, {"m"});
  addNode(model, "DynamicQuantizeLinear", {"m"}, {"dq", "ds", "dz"});
  addNode(model, "MatMulInteger", {"dq", "w", "dz"}, {"product"});
  onnx::setAttribute(addNode(model, "Cast", {"product"}, {"cast"}), "to",
                     std::int64_t{TensorProto::FLOAT});
  addNode(model, "Mul", {"ds", "s"}, {"scales"});
  addNode(model, "Mul", {"cast", "scales"}, {"scaled"});
  addNode(model, "QuantizeLinear", {"scaled", "s", "z"}, {"nq"});
  addNode(model, "DequantizeLinear", {"nq", "s", "z"}, {"y"});
  return model;
}

// Two encoders of one image, which merge each by itself.
ModelProto twoEncoders() {
  auto model = emptyModel();
  addImage(model);
  for (const std::string name : {"a", "b"}) {
    std::string stream = addEmbedding(model, name);
    for (const char* block : {"0", "1"}) stream = addBlock(model, stream, name + block);
    addNorm(model, stream, kVitDim, "y" + name);
    addOutput(model, "y" + name);
  }
  return model;
}

NodeProto& nodeOf(ModelProto& model, const std::string& output) {
  for (auto& node : *model.mutable_graph()->mutable_node()) {
    if (node.output(0) == output) return node;
  }
  throw std::runtime_error("there is no " + output);
}

// A table of numbers is added to the logits, as in BEiT.
ModelProto biased() {
  auto model = smallVit(2);
  for (const std::string block : {"block0", "block1"}) {
    addSome(model, block + "_bias", {1, 2, kVitRows, kVitRows});
    nodeOf(model, block + "_softmax").set_input(0, block + "_biased");
    addNode(model, "Add", {block + "_scaled", block + "_bias"}, {block + "_biased"});
  }
  return model;
}

// x cos + (-second, first) sin, for heads of two features.
void addRotary(ModelProto& model, const std::string& x, const std::string& to) {
  std::vector<float> cosines, sines;
  for (std::int64_t i = 0; i < 2 * kVitRows; ++i) {
    const double angle = 0.3 * static_cast<double>(i / 2);  // the class token stays as it is
    cosines.push_back(static_cast<float>(std::cos(angle)));
    sines.push_back(static_cast<float>(std::sin(angle)));
  }
  addConstant(model, to + "_cos", {kVitRows, 2}, cosines);
  addConstant(model, to + "_sin", {kVitRows, 2}, sines);
  addSlice(model, x, 3, 0, 1, to + "_first");
  addSlice(model, x, 3, 1, 2, to + "_second");
  addNode(model, "Neg", {to + "_second"}, {to + "_minus"});
  addConcat(model, {to + "_minus", to + "_first"}, -1, to + "_turned");
  addNode(model, "Mul", {x, to + "_cos"}, {to + "_own"});
  addNode(model, "Mul", {to + "_turned", to + "_sin"}, {to + "_other"});
  addNode(model, "Add", {to + "_own", to + "_other"}, {to});
}

ModelProto rotary() {
  auto model = smallVit(2);
  for (const std::string block : {"block0", "block1"}) {
    nodeOf(model, block + "_q").set_output(0, block + "_q_plain");
    addRotary(model, block + "_q_plain", block + "_q");
    NodeProto& keys = nodeOf(model, block + "_kt");
    onnx::setAttribute(keys, "perm", Integers{0, 2, 1, 3});
    keys.set_output(0, block + "_k_plain");
    addRotary(model, block + "_k_plain", block + "_k");
    addTranspose(model, block + "_k", {0, 1, 3, 2}, block + "_kt");
  }
  return model;
}

// As tests/fuzz/fuzz_weights.cpp reads them.
void saveWeights() {
  auto external = linearModel();
  addExternal(external, "w", {2}, "w", "0", "8");
  save("external", std::string("\0\x08", 2) + std::string(8, '?') + external.SerializeAsString());
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  auto large = linearModel();
  addWhole(large, "w", TensorProto::FLOAT, {1 << 18}, kLarge);
  addOutput(large, "w");
  std::string bytes = large.SerializeAsString();
  const std::size_t place = bytes.find(std::string(kLarge, '\3'));
  bytes.erase(place, kLarge);
  std::string head = "\1";
  for (const int shift : {16, 8, 0}) head += static_cast<char>(place >> shift & 255);
  save("large", head + bytes);
}

void saveRefused() {
  auto cycle = unsorted();
  cycle.mutable_graph()->mutable_node(2)->set_input(0, "c");
  save("refused_cycle", cycle);
  auto external = linearModel();
  addExternal(external, "w", {2}, "weights.bin", "0", "8");
  save("refused_external", external);
  auto vast = linearModel();
  addConstant(vast, "vast", {1 << 20, 1 << 20}, {1});
  save("refused_vast", vast);
  save("refused_cut", linearModel().SerializeAsString().substr(0, 100));
  save("refused_text", std::string("version https://git-lfs.github.com/spec/v1\n"));
  auto twice = linearModel();
  addNode(twice, "Relu", {"image"}, {"scores"});
  save("refused_twice", twice);
}

}  // namespace
}  // namespace mpm::test

int main(int count, char** arguments) {
  using namespace mpm::test;
  if (count != 3) {
    std::fprintf(stderr, "usage: make_corpus FOLDER WEIGHTS\n");
    return 2;
  }
  folder = arguments[1];
  std::filesystem::create_directories(folder);
  std::filesystem::create_directories(arguments[2]);
  save("linear", linearModel());
  save("every_type", everyType());
  save("subgraphs", subgraphs());
  save("shapes", shapes());
  save("constant_nodes", constantNodes());
  save("rare", rare());
  save("unsorted", unsorted());
  save("quantised", quantised());
  save("vit_two_encoders", twoEncoders());
  save("vit_biased", biased());
  save("vit_rotary", rotary());
  saveRefused();
  folder = arguments[2];
  saveWeights();
  return 0;
}
