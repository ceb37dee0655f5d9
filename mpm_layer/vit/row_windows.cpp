// SPDX-License-Identifier: Apache-2.0
#include "vit/row_windows.h"

namespace mpm::vit {

void RowWindows::set(const std::vector<std::int32_t>& window, std::size_t windows) {
  begins_.assign(windows + 1, 0);
  for (const std::int32_t each : window) ++begins_[static_cast<std::size_t>(each) + 1];
  for (std::size_t i = 0; i < windows; ++i) begins_[i + 1] += begins_[i];
  next_ = begins_;
  order_.resize(window.size());
  for (std::size_t row = 0; row < window.size(); ++row)
    order_[next_[static_cast<std::size_t>(window[row])]++] = static_cast<std::int32_t>(row);
}

}  // namespace mpm::vit
