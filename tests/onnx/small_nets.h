// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnx/graph_text.h"

namespace mpm::test {

// A row of a table: a model, and what has to be true of the net that it becomes.
struct SmallNet {
  std::string name, text;
  std::string reason = "";    // with which it does not merge, or how that begins; empty: it merges
  std::string same = "";      // a model that computes the same; empty: itself
  int width = 0, height = 0;  // with which it is read, where `same` has another size
};

// The net gives what the interpreter makes of the model (or of `same`), whether it merges or not,
// and says the reason. Where it merges, before the first or the last block: fewer rows are live,
// and outputs are finite, and the same whether rows are restored early or late and as those of
// `same`, where that merges.
void expectAsComputed(const SmallNet& net);

// The same for all rows of a table, which `change` a model each.
void expectAll(const std::string& model, const std::vector<SmallNet>& changes);

// The sentence with which reading a model is refused; "taken" where it is not.
std::string refusalOf(const std::string& text);

}  // namespace mpm::test
