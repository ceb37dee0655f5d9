// SPDX-License-Identifier: Apache-2.0
#include "vit/references.h"

#include <algorithm>

namespace mpm::vit {
namespace {

// Of column `i` over the members of a row.
double meanOf(ConstRows table, const Members& members, std::size_t row, std::size_t i) {
  double sum = 0;
  for (const std::int32_t* member = members.begin(row); member != members.end(row); ++member)
    sum += static_cast<double>(table.row(static_cast<std::size_t>(*member))[i]);
  return sum / static_cast<double>(std::max<std::size_t>(members.count(row), 1));
}

}  // namespace

void rotateReference(ConstRows in, const Rotary& rotary, const Members& members, std::size_t heads,
                     Rows out) {
  const std::size_t d = in.dim / heads;
  for (std::size_t row = 0; row < in.count; ++row) {
    for (std::size_t feature = 0; feature < heads * d; ++feature) {
      const std::size_t i = feature % d, pair = (i + d / 2) % d;
      const double x = in.row(row)[feature], y = in.row(row)[feature - i + pair];
      const std::size_t at = rotary.own.dim == d ? i : feature;
      out.row(row)[feature] = static_cast<float>(meanOf(rotary.own, members, row, at) * x +
                                                 meanOf(rotary.other, members, row, at) * y);
    }
  }
}

void biasOfMembersReference(const BiasTable& full, const Members& members, std::size_t heads,
                            float* out) {
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t query = 0; query < members.live(); ++query) {
      for (std::size_t key = 0; key < members.live(); ++key) {
        double sum = 0;
        for (const std::int32_t* i = members.begin(query); i != members.end(query); ++i) {
          for (const std::int32_t* j = members.begin(key); j != members.end(key); ++j)
            sum += static_cast<double>(full.row(head, static_cast<std::size_t>(*i))[*j]);
        }
        const std::size_t pairs = members.count(query) * members.count(key);
        *out++ = static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(pairs, 1)));
      }
    }
  }
}

}  // namespace mpm::vit
