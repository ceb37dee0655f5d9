// SPDX-License-Identifier: Apache-2.0
// Writes the fuzzer's corpus: usage: make_corpus FOLDER. Names that begin with refused_ are models
// that readModel refuses.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "onnx/attribute.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using ::onnx::ModelProto;
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
  addWhole(model, "packed", TensorProto::UINT8, {4, 1, 8}, 32);
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
  auto& packed = addNode(model, "MatMulNBits", {"scaled", "packed", "ss"}, {"n"});
  packed.set_domain("com.microsoft");
  for (const auto& [name, value] : {std::pair("K", 4), {"N", 4}, {"block_size", 16}})
    onnx::setAttribute(packed, name, std::int64_t{value});
  addNode(model, "QuantizeLinear", {"n", "s", "z"}, {"nq"});
  addNode(model, "QLinearMatMul", {"nq", "s", "z", "w", "ss", "", "s", "z"}, {"lq"});
  auto& sum = addNode(model, "QLinearAdd", {"lq", "s", "z", "nq", "s", "z", "s", "z"}, {"aq"});
  sum.set_domain("com.microsoft");
  addNode(model, "DequantizeLinear", {"aq", "s", "z"}, {"y"});
  return model;
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
  if (count != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  folder = arguments[1];
  std::filesystem::create_directories(folder);
  save("linear", linearModel());
  save("every_type", everyType());
  save("subgraphs", subgraphs());
  save("shapes", shapes());
  save("constant_nodes", constantNodes());
  save("rare", rare());
  save("unsorted", unsorted());
  save("quantised", quantised());
  saveRefused();
  return 0;
}
