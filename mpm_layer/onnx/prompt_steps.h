// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/emit.h"
#include "onnx/standing.h"

namespace mpm::onnx {

// Prompts that are exchanged in front of a block: of a stream's special rows the last ones make
// place for as many constant rows. The others and the image's stay, and so does the stream.
class PromptSteps {
 public:
  PromptSteps(const Facts& facts, Standing& standing, Emitter& emit)
      : facts_(facts), standing_(standing), emit_(emit) {}

  // Whether a node joins such rows: then its value is tokens.
  bool follow(const Node& node, const std::string& value);

 private:
  const Facts& facts_;
  Standing& standing_;
  Emitter& emit_;
};

}  // namespace mpm::onnx
