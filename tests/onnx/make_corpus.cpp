// SPDX-License-Identifier: Apache-2.0
// Writes the corpus of the fuzzer of models, and the seeds of that of weights: usage: make_corpus
// FOLDER WEIGHTS. Names that begin with refused_ are models that readModel refuses.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "onnx/graph_text.h"
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
  return graph(
      R"(x[2, 6]; zero = int64(1){0}; one = int64(1){1}; rest = int64(2){-1, 2}; shape = Shape(x)
batch = Gather(shape, zero); front = Slice(shape, zero, one); product = Mul(batch, one)
target = ai.onnx:Concat(product, rest) axis=0; cast = Cast(front) to=1; range = Range(zero, one, one)
equal = Equal(target, rest); expanded = Expand(one, shape); wide = Unsqueeze(cast, zero)
same = Identity(x); y = Reshape(same, target); out y, wide, expanded)");
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

ModelProto unsorted() { return graph("x[1]\nc = Add(a, b)\na = Relu(b)\nb = Relu(x)\nout c"); }

void addWhole(ModelProto& model, const std::string& name, int type,
              const std::vector<std::int64_t>& dims, std::size_t count) {
  auto& tensor = addConstant(model, name, dims, {});
  tensor.set_data_type(type);
  tensor.set_raw_data(std::string(count, '\3'));
}

// Every way to write whole numbers with scales that is read.
ModelProto quantised() {
  return graph(R"(x[1, 4, 4]; s = float(){0.5}; ss = float(4){0.5, 1, 2, 3}; z = uint8(){3}
w = int8(4, 4){3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}; weight = DequantizeLinear(w, ss)
q = QuantizeLinear(x, s, z); shaped = Reshape(q, [0, 0, 0]); d = DequantizeLinear(shaped, s, z)
m = MatMul(d, weight); dq, ds, dz = DynamicQuantizeLinear(m); product = MatMulInteger(dq, w, dz)
cast = Cast(product) to=1; scales = Mul(ds, s); scaled = Mul(cast, scales); nq = QuantizeLinear(scaled, s, z)
y = DequantizeLinear(nq, s, z))");
}

// Two encoders of one image, which merge each by itself.
ModelProto twoEncoders() {
  return graph(changed(vit(), R"(other = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]
tall = Reshape(other, [0, 8, 6]); rows = Transpose(tall) perm=[0, 2, 1]; others = Add(rows, some(1, 6, 8))
)" + block("c0", "others") + block("c1", "c0") +
                                  "z = LayerNormalization(c1, some(8), some(8))\nout y, z"));
}

// A table of numbers is added to the logits, as in BEiT.
ModelProto biased() {
  std::string change;
  for (const std::string name : {"b0", "b1"}) {
    change += name + ".weights = Softmax(" + name + ".biased)\n" + name + ".biased = Add(" + name +
              ".scores, some(1, 2, 7, 7))\n";
  }
  return graph(changed(vit(), change));
}

// x cos + (-second, first) sin, for heads of four features.
ModelProto rotary() {
  std::string change = "cos = some(7, 4); sin = some(7, 4)\n";
  for (const std::string name : {"b0", "b1"}) {
    for (const std::string part : {".q", ".k"}) {
      const std::string x = name + part;
      change += x + ".a = Slice(" + x + ", [0], [2], [3]); " + x + ".b = Slice(" + x +
                ", [2], [4], [3])\n" + x + ".m = Neg(" + x + ".b); " + x + ".o = Concat(" + x +
                ".m, " + x + ".a) axis=-1\n" + x + ".c = Mul(" + x + ", cos); " + x + ".s = Mul(" +
                x + ".o, sin); " + x + ".t = Add(" + x + ".c, " + x + ".s)\n";
    }
    change += name + ".kt = Transpose(" + name + ".k.t) perm=[0, 1, 3, 2]; " + name +
              ".qk = MatMul(" + name + ".q.t, " + name + ".kt)\n";
  }
  return graph(changed(vit(), change));
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
