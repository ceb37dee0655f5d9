// SPDX-License-Identifier: Apache-2.0
#include "merge/implementation.h"

namespace mpm::test {

const std::vector<Implementation>& implementations() {
  static const std::vector<Implementation> all = {
      {"cpu", false, false, kClearGap, kSimilarity, [](const OwnedRows& rows) { return rows; },
       [](const OwnedRows& rows, const merge::Scope& scope) {
         std::vector<merge::Match> best(rows.count);
         merge::MatchScratch scratch;
         merge::matchCpu(rows.view(), scope, scratch, best.data());
         return best;
       },
       [](const OwnedRows& rows) {
         std::vector<double> inverse;
         for (std::size_t i = 0; i < rows.count; ++i)
           inverse.push_back(merge::inverseNormCpu(rows.view().row(i), rows.dim));
         return inverse;
       },
       [](const OwnedRows& rows, const std::vector<merge::Cluster>& clusters) {
         OwnedRows merged(clusters.size(), rows.dim);
         merge::averageCpu(rows.view(), clusters.data(), clusters.size(), merged.view());
         return merged;
       },
       [](const OwnedRows& live, const std::vector<std::int32_t>& map) {
         OwnedRows full(map.size(), live.dim, 8);
         merge::restoreCpu(live.view(), map.data(), full.view());
         return full;
       }}};
  return all;
}

}  // namespace mpm::test
