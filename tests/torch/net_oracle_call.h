// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "onnx/graph/model.h"
#include "torch/net_oracle.h"

namespace mpm::test {

using Tensors = std::vector<at::Tensor>;

/// A node with the values of its inputs. One that is left out is an undefined tensor.
struct NodeCall {
  const onnx::Node& node;
  Tensors inputs;
  std::int64_t opset = 0;  ///< of the node's domain
  Dialect dialect = Dialect::openCv;
  NetRun& run;  ///< for merges and blocks to be noted in

  const at::Tensor& input(std::size_t index) const;
  /// An input of a layer of ours, by the name that the attribute `inputs` gives it.
  const at::Tensor& named(const std::string& name) const;

  std::int64_t integer(const char* attribute, std::int64_t otherwise) const;
  double number(const char* attribute, double otherwise) const;
  std::string text(const char* attribute, const std::string& otherwise) const;
  std::vector<std::int64_t> integers(const char* attribute,
                                     const std::vector<std::int64_t>& otherwise = {}) const;
  /// Integers that were an attribute once and are an input since: empty where there is neither.
  std::vector<std::int64_t> integers(const char* attribute, std::size_t index) const;

  /// std::runtime_error with the node and what is wrong.
  void require(bool holds, const std::string& what) const;
};

/// What nodes of a type compute: a tensor for each output.
using Operation = Tensors (*)(const NodeCall&);
using Operations = std::map<std::string, Operation>;

/// Logits [H x L x M] of an Attention with a grid, and the values [H x M x d] of its keys, which
/// are the L rows and then cells beside the grid; q, k and v [H x L x d], `members` [L x N] each
/// row's shares of the tokens.
struct GridLogits {
  at::Tensor logits, values;
};
GridLogits gridLogits(const NodeCall& call, const at::Tensor& q, at::Tensor k, at::Tensor v,
                      const at::Tensor& members, double scale);

const Operations& layerOperations();        ///< of the domain mpm
Tensors upsample(const NodeCall& call);     ///< one of them
Tensors subgraph(const NodeCall& call);     ///< another
const Operations& arithmeticOperations();   ///< of ONNX: numbers
const Operations& arrangementOperations();  ///< of ONNX: where they stand
const Operations& imageOperations();        ///< of ONNX: windows over height and width
const Operations& subgraphOperations();     ///< of ONNX: what stands in subgraphs

}  // namespace mpm::test
