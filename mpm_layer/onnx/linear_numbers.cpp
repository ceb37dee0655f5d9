// SPDX-License-Identifier: Apache-2.0
#include "onnx/linear_numbers.h"

#include <algorithm>
#include <utility>

namespace mpm::onnx {

LinearNumbers numbersOf(const Model& model, const FoundLinear& linear) {
  LinearNumbers made;
  made.in = static_cast<std::size_t>(inFeatures(model, linear));
  made.out = static_cast<std::size_t>(outFeatures(model, linear));
  const Floats weight = model.constant(linear.weight)->floats();
  made.weight.resize(made.in * made.out);
  for (std::size_t i = 0; i < made.in; ++i) {
    for (std::size_t o = 0; o < made.out; ++o)
      made.weight[i * made.out + o] = weight[linear.outByIn ? o * made.in + i : i * made.out + o];
  }
  made.bias.assign(made.out, 0);
  if (linear.bias.empty()) return made;
  const Floats bias = model.constant(linear.bias)->floats();
  made.bias.assign(bias.begin(), bias.end());
  return made;
}

LinearNumbers behind(const LinearNumbers& first, const LinearNumbers& second) {
  LinearNumbers made{first.in, second.out, std::vector<float>(first.in * second.out), second.bias};
  const auto add = [&](const float* row, float* to) {
    for (std::size_t k = 0; k < second.in; ++k) {
      const float factor = row[k];
      const float* const from = second.weight.data() + k * second.out;
      for (std::size_t o = 0; o < second.out; ++o) to[o] += factor * from[o];
    }
  };
  for (std::size_t i = 0; i < first.in; ++i)
    add(first.weight.data() + i * first.out, made.weight.data() + i * made.out);
  add(first.bias.data(), made.bias.data());
  return made;
}

LinearNumbers sum(LinearNumbers a, const LinearNumbers& b, float sign) {
  for (std::size_t i = 0; i < a.weight.size(); ++i) a.weight[i] += sign * b.weight[i];
  for (std::size_t o = 0; o < a.out; ++o) a.bias[o] += sign * b.bias[o];
  return a;
}

LinearNumbers scaled(LinearNumbers made, const std::vector<float>& factors) {
  for (std::size_t i = 0; i < made.weight.size(); ++i) made.weight[i] *= factors[i % made.out];
  for (std::size_t o = 0; o < made.out; ++o) made.bias[o] *= factors[o];
  return made;
}

LinearNumbers shifted(LinearNumbers made, const std::vector<float>& added) {
  for (std::size_t o = 0; o < made.out; ++o) made.bias[o] += added[o];
  return made;
}

LinearNumbers some(const LinearNumbers& all, const Integers& features) {
  LinearNumbers made{all.in, features.size(), {}, {}};
  made.weight.reserve(made.in * made.out);
  for (std::size_t i = 0; i < all.in; ++i) {
    for (const std::int64_t each : features)
      made.weight.push_back(all.weight[i * all.out + static_cast<std::size_t>(each)]);
  }
  for (const std::int64_t each : features)
    made.bias.push_back(all.bias[static_cast<std::size_t>(each)]);
  return made;
}

LinearNumbers beside(const LinearNumbers& a, const LinearNumbers& b) {
  LinearNumbers made{a.in, a.out + b.out, {}, a.bias};
  made.bias.insert(made.bias.end(), b.bias.begin(), b.bias.end());
  made.weight.reserve(made.in * made.out);
  for (std::size_t i = 0; i < a.in; ++i) {
    for (const LinearNumbers* each : {&a, &b}) {
      const float* const row = each->weight.data() + i * each->out;
      made.weight.insert(made.weight.end(), row, row + each->out);
    }
  }
  return made;
}

}  // namespace mpm::onnx
