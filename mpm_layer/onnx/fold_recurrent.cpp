// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: LSTM, GRU and RNN, over sequences that are all of one length.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"

namespace mpm::onnx {
namespace {

// One direction of a layer: what it computes with, and the state that it is in. A gate's sum is
// made of `given`, which the inputs have made, and `before`, which the state has made.
struct Direction {
  Known weight, recurrent;                     // [inputs, gates x hidden], [hidden, the same]
  std::vector<float> bias, recurrentBias;      // [gates x hidden]
  std::vector<float> peepholes;                // of an LSTM: input, output, forget
  std::vector<ElementFunction> functions;      // f, g, h
  float clip = 0;                              // 0: none
  bool resetsLate = false, isCoupled = false;  // linear_before_reset, input_forget
  std::size_t hidden = 0, gates = 0;
  Known state, cell;  // [batch, hidden]
  const float* given = nullptr;
  Known before;  // [batch, gates x hidden]

  // Where what belongs to an element of the state stands among the gates' sums.
  std::size_t at(std::size_t gate, std::size_t element) const {
    return (element / hidden * gates + gate) * hidden + element % hidden;
  }
  float sum(std::size_t gate, std::size_t element) const {
    return given[at(gate, element)] + before.floats[at(gate, element)];
  }
  float apply(std::size_t function, float value) const {
    return functions[function](clip > 0 ? std::clamp(value, -clip, clip) : value);
  }
};

// What a state makes of its weights and bias; the sizes fit.
Known fromState(const Direction& layer, const Known& state, MatrixProduct product) {
  Known sums = *matMul(state, layer.recurrent, product);
  for (std::size_t i = 0; i < sums.floats.size(); ++i)
    sums.floats[i] += layer.recurrentBias[i % layer.recurrentBias.size()];
  return sums;
}

void stepRnn(Direction& layer, MatrixProduct) {
  for (std::size_t i = 0; i < layer.state.count(); ++i)
    layer.state.floats[i] = layer.apply(0, layer.sum(0, i));
}

// Gates: update, reset, hidden.
void stepGru(Direction& layer, MatrixProduct product) {
  Known early;
  if (!layer.resetsLate) {
    Known kept = layer.state;
    for (std::size_t i = 0; i < kept.count(); ++i)
      kept.floats[i] *= layer.apply(0, layer.sum(1, i));
    early = fromState(layer, kept, product);
  }
  for (std::size_t i = 0; i < layer.state.count(); ++i) {
    float& state = layer.state.floats[i];
    const std::size_t at = layer.at(2, i);
    const float update = layer.apply(0, layer.sum(0, i));
    const float memory = layer.resetsLate
                             ? layer.apply(0, layer.sum(1, i)) * layer.before.floats[at]
                             : early.floats[at];
    state = (1 - update) * layer.apply(1, layer.given[at] + memory) + update * state;
  }
}

// Gates: input, output, forget, cell.
void stepLstm(Direction& layer, MatrixProduct) {
  for (std::size_t i = 0; i < layer.state.count(); ++i) {
    float& cell = layer.cell.floats[i];
    const float* peephole = layer.peepholes.data() + i % layer.hidden;
    const float input = layer.apply(0, layer.sum(0, i) + peephole[0] * cell);
    const float forget = layer.isCoupled
                             ? 1 - input
                             : layer.apply(0, layer.sum(2, i) + peephole[2 * layer.hidden] * cell);
    cell = forget * cell + input * layer.apply(1, layer.sum(3, i));
    const float output = layer.apply(0, layer.sum(1, i) + peephole[layer.hidden] * cell);
    layer.state.floats[i] = output * layer.functions[2](cell);
  }
}

struct Kind {
  void (*step)(Direction&, MatrixProduct);
  std::size_t gates;
  std::vector<std::string> functions;
};

const Kind& kindOf(const Node& node) {
  static const Kind rnn{stepRnn, 1, {"Tanh"}}, gru{stepGru, 3, {"Sigmoid", "Tanh"}},
      lstm{stepLstm, 4, {"Sigmoid", "Tanh", "Tanh"}};
  return isOp(node, "LSTM") ? lstm : isOp(node, "GRU") ? gru : rnn;
}

Known swapped(const Known& value, const std::vector<std::size_t>& order) {
  return transposed(value, value.dims, order);
}

// What one direction has of [directions, ...]. An input that is left out is zeros; nothing where
// it is not of these dims.
Result partOf(const Call& call, std::size_t input, const Integers& dims, std::size_t direction) {
  const Integers own(dims.begin() + 1, dims.end());
  const Known* given = sureFloats(call.input(input));
  if (call.has(input) && given && given->dims == dims)
    return pickStrided(*given, own, stridesOf(own), direction * product(own, 0, own.size()));
  Result zeros = call.has(input) ? std::nullopt : emptyKnown(::onnx::TensorProto::FLOAT, own);
  if (zeros) zeros->sure.assign(zeros->count(), 1);
  return zeros;
}

// The activations of all directions, in one list; nothing where one is none that is known.
std::vector<ElementFunction> functionsOf(const Node& node, std::size_t directions) {
  const Kind& kind = kindOf(node);
  auto names = stringsAttribute(node, "activations").value_or(std::vector<std::string>{});
  for (std::size_t d = 0; d < directions && !findAttribute(node, "activations"); ++d)
    names.insert(names.end(), kind.functions.begin(), kind.functions.end());
  if (names.size() != directions * kind.functions.size()) return {};
  auto alphas = floatsAttribute(node, "activation_alpha").value_or(std::vector<float>{});
  auto betas = floatsAttribute(node, "activation_beta").value_or(std::vector<float>{});
  std::vector<ElementFunction> functions;
  for (const std::string& name : names) {
    const auto function = takeFunction(name, alphas, betas);
    if (!function) return {};
    functions.push_back(*function);
  }
  return functions;
}

// Nothing where its inputs do not fit each other. `sizes`: batch, inputs, directions, hidden.
std::optional<Direction> directionOf(const Call& call, const Integers& sizes, std::size_t which) {
  const std::int64_t batch = sizes[0], count = sizes[2], hidden = sizes[3];
  const Kind& kind = kindOf(call.node);
  const std::int64_t rows = static_cast<std::int64_t>(kind.gates) * hidden;
  const auto weight = partOf(call, 1, {count, rows, sizes[1]}, which);
  const auto recurrent = partOf(call, 2, {count, rows, hidden}, which);
  const auto bias = partOf(call, 3, {count, 2 * rows}, which);
  const auto peepholes = partOf(call, 7, {count, 3 * hidden}, which);
  const auto state = partOf(call, 5, {count, batch, hidden}, which);
  const auto cell = partOf(call, 6, {count, batch, hidden}, which);
  const auto functions = functionsOf(call.node, static_cast<std::size_t>(count));
  if (!weight || !recurrent || !bias || !peepholes || !state || !cell || functions.empty())
    return std::nullopt;
  const auto middle = bias->floats.begin() + rows;
  const auto first = functions.begin() + static_cast<std::ptrdiff_t>(which * kind.functions.size());
  return Direction{swapped(*weight, {1, 0}),
                   swapped(*recurrent, {1, 0}),
                   {bias->floats.begin(), middle},
                   {middle, bias->floats.end()},
                   peepholes->floats,
                   {first, first + static_cast<std::ptrdiff_t>(kind.functions.size())},
                   floatAttribute(call.node, "clip").value_or(0),
                   intAttribute(call.node, "linear_before_reset").value_or(0) != 0,
                   intAttribute(call.node, "input_forget").value_or(0) != 0,
                   static_cast<std::size_t>(hidden),
                   kind.gates,
                   *state,
                   *cell,
                   nullptr,
                   {}};
}

// Walks over the sequence; the state after each step goes to `all`, [steps, directions, ...].
void walk(const Call& call, const Known& data, Direction& layer, std::size_t which, bool isReversed,
          Known& all) {
  const auto count = static_cast<std::size_t>(all.dims[1]);
  const auto steps = static_cast<std::size_t>(data.dims[0]), size = layer.state.count();
  Known given = *matMul(reshaped(data, {data.dims[0] * data.dims[1], data.dims[2]}), layer.weight,
                        call.product);
  for (std::size_t i = 0; i < given.floats.size(); ++i)
    given.floats[i] += layer.bias[i % layer.bias.size()];
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t at = isReversed ? steps - 1 - step : step;
    layer.given = given.floats.data() + at * size * layer.gates;
    layer.before = fromState(layer, layer.state, call.product);
    kindOf(call.node).step(layer, call.product);
    std::copy(layer.state.floats.begin(), layer.state.floats.end(),
              all.floats.begin() + static_cast<std::ptrdiff_t>((at * count + which) * size));
  }
}

// The inputs as they stand with layout 0; copies of those that have to be turned into `made`.
Call withStepsFirst(const Call& call, std::vector<Known>& made) {
  Call turned = call;
  for (const std::size_t i : {0, 5, 6}) {
    if (!call.input(i) || call.input(i)->dims.size() != 3) continue;
    made.push_back(swapped(*call.input(i), {1, 0, 2}));
    turned.inputs[i] = &made.back();
  }
  return turned;
}

}  // namespace

Results foldRecurrent(const Call& given) {
  const Node& node = given.node;
  const bool isBatchFirst = intAttribute(node, "layout").value_or(0) != 0;
  std::vector<Known> turned;
  turned.reserve(3);
  const Call call = isBatchFirst ? withStepsFirst(given, turned) : given;
  const Known *data = sureFloats(call.input(0)), *recurrent = sureFloats(call.input(2));
  if (!data || !recurrent || data->dims.size() != 3 || recurrent->dims.size() != 3 || call.has(4))
    return {};
  const std::string way = stringAttribute(node, "direction").value_or("forward");
  const std::int64_t count = recurrent->dims[0], hidden = recurrent->dims[2];
  if ((way != "forward" && way != "reverse" && way != "bidirectional") ||
      count != (way == "bidirectional" ? 2 : 1) || data->count() == 0 || hidden == 0 ||
      intAttribute(node, "hidden_size").value_or(hidden) != hidden)
    return {};
  const Integers last = {count, data->dims[1], hidden};
  Results results;
  for (const Integers& dims : {Integers{data->dims[0], count, data->dims[1], hidden}, last, last}) {
    results.push_back(emptyKnown(data->type, dims));
    if (!results.back()) return {};
    results.back()->sure.assign(results.back()->count(), 1);
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(count); ++d) {
    auto layer = directionOf(call, {data->dims[1], data->dims[2], count, hidden}, d);
    if (!layer) return {};
    walk(call, *data, *layer, d, way == "reverse" || d == 1, *results[0]);
    const auto place = static_cast<std::ptrdiff_t>(d * layer->state.count());
    std::copy(layer->state.floats.begin(), layer->state.floats.end(),
              results[1]->floats.begin() + place);
    std::copy(layer->cell.floats.begin(), layer->cell.floats.end(),
              results[2]->floats.begin() + place);
  }
  if (isBatchFirst)
    results = {swapped(*results[0], {2, 0, 1, 3}), swapped(*results[1], {1, 0, 2}),
               swapped(*results[2], {1, 0, 2})};
  results.resize(static_cast<std::size_t>(node.output_size()));
  return results;
}

}  // namespace mpm::onnx
