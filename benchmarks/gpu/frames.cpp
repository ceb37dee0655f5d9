// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <ATen/ATen.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace mpm::bench {

at::Tensor readFrames(const std::string& path, int side, int batch) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t frame = static_cast<std::size_t>(side) * side * 3;
  if (!file || bytes.empty() || bytes.size() % frame != 0)
    throw std::runtime_error(path + " holds " + std::to_string(bytes.size()) +
                             " bytes; expected pictures of " + std::to_string(frame) +
                             " bytes, RGB, row by row");
  const auto count = static_cast<std::int64_t>(bytes.size() / frame);
  const at::Tensor pictures =
      at::from_blob(const_cast<char*>(bytes.data()), {count, side, side, 3}, at::kByte)
          .permute({0, 3, 1, 2})
          .to(at::kFloat)
          .div(127.5)
          .sub(1);
  return pictures.index_select(0, at::arange(batch, at::kLong).remainder(count)).contiguous();
}

}  // namespace mpm::bench
