// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merge/pair.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// merged.row(c) = the plain mean of the rows of cluster c, or its only row, to the bit.
/// How many original tokens stand behind a row does not count. No overflow: half plus half.
void averageReference(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);
void averageCpu(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);

}  // namespace mpm::merge
