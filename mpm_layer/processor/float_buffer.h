// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "mpm/rows.h"

namespace mpm::processor {

/// Memory aligned to a cache line. It grows and never shrinks; its content is undefined after
/// growing.
template <class T>
class Buffer {
 public:
  T* reserve(std::size_t count) {
    if (count > capacity_) {
      void* memory = ::operator new(count * sizeof(T), kAlignment);
      data_.reset(static_cast<T*>(memory));
      capacity_ = count;
    }
    return data_.get();
  }
  const T* data() const { return data_.get(); }
  RowsOf<T> rows(std::size_t count, std::size_t dim) { return {reserve(count * dim), count, dim}; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::align_val_t kAlignment{64};
  struct Release {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<T, Release> data_;
  std::size_t capacity_ = 0;
};

using FloatBuffer = Buffer<float>;

/// Returns scratch memory of the calling thread for one task. The next task that reserves it in the
/// same thread overwrites it.
inline FloatBuffer& threadScratch() {
  static thread_local FloatBuffer scratch;
  return scratch;
}

}  // namespace mpm::processor
