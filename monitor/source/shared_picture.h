// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "monitor/source/separate_wire.h"

namespace mpm::monitor {

/// Memory for a picture that two processes see. It has no name, and is gone when both let go of it,
/// however they end; its size is sealed, so that none can take memory away under the other.
class SharedPicture {
 public:
  SharedPicture() = default;
  ~SharedPicture();
  SharedPicture(SharedPicture&& other) noexcept;
  SharedPicture& operator=(SharedPicture&& other) noexcept;

  /// For pictures of that size that another process writes; `passed` is for it. std::runtime_error.
  static SharedPicture toRead(cv::Size size, OwnDescriptor& passed);
  /// The same memory, there. std::runtime_error where it is none of that size.
  static SharedPicture toWrite(cv::Size size, const OwnDescriptor& passed);

  cv::Size size() const { return size_; }
  cv::Mat picture() const;  ///< BGR CV_8UC3, in the memory; empty: there is none

 private:
  void map(int descriptor, int protection);

  cv::Size size_;
  void* memory_ = nullptr;
};

}  // namespace mpm::monitor
