// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

/// The device under test: a GPU, or what on_host makes of the processor.
namespace mpm::test {

inline void expectSuccess(cudaError_t error) {
  EXPECT_EQ(error, cudaSuccess) << cudaGetErrorString(error);
}

/// Tests that run kernels; skipped where there is no device.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
    }
  }
};

/// `count` Ts on the device, on a boundary of 256 bytes. Every byte is 0xFF, which makes a NaN or a
/// -1, before it is written, and so are 4 KiB on both sides: the destructor sees that they still
/// are.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    void* memory = nullptr;
    expectSuccess(cudaMalloc(&memory, bytes() + 2 * kGuard));
    memory_ = static_cast<char*>(memory);
    expectSuccess(cudaMemsetAsync(memory_, 0xFF, bytes() + 2 * kGuard, nullptr));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    expectSuccess(cudaMemcpy(data(), values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    for (const char* guard : {memory_, memory_ + kGuard + bytes()}) {
      std::vector<unsigned char> now(kGuard);
      expectSuccess(cudaMemcpy(now.data(), guard, kGuard, cudaMemcpyDeviceToHost));
      EXPECT_EQ(std::count(now.begin(), now.end(), 0xFF), static_cast<std::ptrdiff_t>(kGuard))
          << "written " << (guard == memory_ ? "before" : "behind") << " an array of " << bytes()
          << " bytes";
    }
    expectSuccess(cudaFree(memory_));
  }

  T* data() const { return reinterpret_cast<T*>(memory_ + kGuard); }
  std::vector<T> values() const {
    std::vector<T> all(count_);
    expectSuccess(cudaMemcpy(all.data(), data(), bytes(), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  static constexpr std::size_t kGuard = 4096;
  std::size_t bytes() const { return count_ * sizeof(T); }

  std::size_t count_ = 0;
  char* memory_ = nullptr;
};

}  // namespace mpm::test
