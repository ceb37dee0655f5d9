// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/position_tables.h"

#include <string>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/values.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {

PositionTables::PositionTables(const Model& model,
                               const std::unordered_map<std::string, Integers>& inputDims)
    : opset_(model.opset()) {
  std::optional<Values> values;
  for (const Node* node : model.nodes()) {
    if (!isOp(*node, "Resize") || node->input_size() < 4 || node->input(3).empty()) continue;
    if (!values) values.emplace(model, inputDims);
    const KnownTensor* planes = values->content(node->input(0));
    const bool isTable =
        planes != nullptr && planes->isFloat() && planes->isSure() && planes->dims.size() == 4;
    if (isTable && planes->dims[0] == 1) tables_.push_back({*node, *planes});
  }
}

std::optional<std::vector<float>> PositionTables::onGrid(const std::vector<float>& own,
                                                         std::int64_t dim,
                                                         const GridChange& change) const {
  for (const Table& table : tables_) {
    if (table.planes.dims[1] == dim && resized(table, change.rows, change.columns) == own)
      return resized(table, change.newRows, change.newColumns);
  }
  return std::nullopt;
}

// Resizes as the interpreter does, which folding uses too. Returns std::nullopt if it cannot.
std::optional<std::vector<float>> PositionTables::resized(const Table& table, std::int64_t rows,
                                                          std::int64_t columns) const {
  const std::int64_t dim = table.planes.dims[1];
  ::onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(opset_);
  ::onnx::GraphProto& graph = *proto.mutable_graph();
  ::onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name("planes");
  ::onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(::onnx::TensorProto::FLOAT);
  for (const std::int64_t size : table.planes.dims)
    type.mutable_shape()->add_dim()->set_dim_value(size);
  Node& node = *graph.add_node();
  node = table.resize;
  node.clear_input();
  for (const char* name : {"planes", "", "", "sizes"}) node.add_input(name);
  *graph.add_initializer() = integerTensor("sizes", {4}, {1, dim, rows, columns});
  graph.add_output()->set_name(node.output(0));
  try {
    Interpreter interpreter{Model(std::move(proto))};
    interpreter.fit({table.planes.dims});
    const std::vector<KnownTensor> made = interpreter.run({table.planes});
    std::vector<float> positions(made[0].floats.size());
    const auto places = static_cast<std::size_t>(rows * columns);
    for (std::size_t at = 0; at < positions.size(); ++at)
      positions[at % places * static_cast<std::size_t>(dim) + at / places] = made[0].floats[at];
    return positions;
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

}  // namespace mpm::onnx
