// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <vector>

namespace mpm::test {

/// Live rows, features, heads of every operation's test.
struct VitShape {
  std::size_t rows, dim, heads;
};

inline std::ostream& operator<<(std::ostream& out, const VitShape& shape) {
  return out << shape.rows << " rows, dim " << shape.dim << ", heads " << shape.heads;
}

/// Around the width of vectors and tiles; the largest with few features, for the time it takes.
inline std::vector<VitShape> vitShapes() {
  std::vector<VitShape> shapes;
  for (const std::size_t rows : {1, 2, 3, 15, 16, 17, 196, 197}) {
    for (const std::size_t dim : {16, 24, 64, 192}) {
      shapes.push_back({rows, dim, 1});
      if (dim % 3 == 0) shapes.push_back({rows, dim, 3});
    }
  }
  shapes.push_back({1025, 16, 1});
  shapes.push_back({1025, 24, 3});
  return shapes;
}

}  // namespace mpm::test
