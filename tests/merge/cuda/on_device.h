// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "merge/cuda/batch.h"
#include "merge/implementation.h"
#include "merge/steps_cuda.h"

namespace mpm::test {

/// The matches of each image's rows. `scope`, where there is one, is of images all alike: rows are
/// original tokens.
std::vector<std::vector<merge::Match>> matchOnDevice(const Batch& batch,
                                                     const merge::Scope& scope = {});
/// 1 / |row|, [batch x mostRows].
std::vector<double> inversesOnDevice(const Batch& batch);
/// One image without special rows; `capacity` rows of merged.
Bytes averageOnDevice(const Batch& batch, const std::vector<merge::Cluster>& clusters,
                      std::size_t capacity);
/// [batch x (special + originals)] rows; an empty map: none.
Bytes restoreOnDevice(const Batch& batch, const std::vector<std::int32_t>& map);

}  // namespace mpm::test
