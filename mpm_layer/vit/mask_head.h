// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/linear.h"
#include "vit/normalize.h"

namespace mpm::vit {

/// The part of Segmenter's mask transformer after its blocks and norm. Both projections are stored
/// [in x out], transposed against a linear layer's weight: rows times matrix.
struct MaskHeadWeights {
  ConstRows projPatch;    ///< [D x D]
  ConstRows projClasses;  ///< [D x D]
  NormWeights norm;       ///< over the K classes; Segmenter's eps is 1e-5
};

/// The same weights, packed, in `unquantised` precision.
struct PackedMaskHead {
  PackedMaskHead() = default;
  PackedMaskHead(const MaskHeadWeights& weights, std::size_t classes, Precision precision);

  PackedLinear projPatch, projClasses;
  OwnedNorm norm;
};

/// Scratch memory of maskHeadCpu. It grows to the size of the largest call and stays there.
struct MaskHeadScratch {
  processor::FloatBuffer classes;  ///< [K x D]
  PackedLinear packedClasses;
};

/// Computes masks [n x K] = norm(unit(patches projPatch) unit(classes projClasses)T), for image
/// rows patches [n x D] and class rows classes [K x D]. unit makes each row's length 1. A row that
/// is projected to zero stays zero, where a division by its length would give NaN.
void maskHeadCpu(ConstRows patches, ConstRows classes, const PackedMaskHead& head,
                 MaskHeadScratch& scratch, Rows masks);

}  // namespace mpm::vit
