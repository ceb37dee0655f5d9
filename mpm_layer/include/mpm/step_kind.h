// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm {

/// Names the work that a network spends its time on.
enum class StepKind {
  embedding,  ///< of patches; position and special rows included
  block,      ///< of the encoder, with norms and linear layers of its own
  merge,      ///< also one that is off: it copies its tokens
  restore,    ///< to original positions, and means over them
  decoder,    ///< a mask decoder's blocks, and adding its class rows
  head,       ///< this library's other layers: norms, linear layers, scores, upsampling
  rest        ///< OpenCV's own layers, and the time between layers
};

}  // namespace mpm
