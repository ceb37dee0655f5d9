// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "dnn/device.h"

namespace mpm::dnn {

/// A blob on the device. Its memory there is given back when the last copy of this goes.
struct DeviceBlob {
  LoadedRunner* runner = nullptr;  ///< null: it is nowhere
  RunnerBlob blob;                 ///< its shape and device part

  explicit operator bool() const { return runner != nullptr; }

  /// Copies it to the host, and waits for it. std::runtime_error.
  void download(float* host) const;
};

/// A blob of a net that is on the device. Where its values did not come to the host, the blob's
/// memory there holds a ticket instead: NaN throughout, of which the first one is a number that
/// this process gave out once. Whoever reads it as values sees that there are none; a layer of this
/// library finds the blob on the device by it, wherever the Mat was copied to.
///
/// It counts until its memory is given to another blob, which is when OpenCV knows that nobody
/// reads it any more, or until this object goes; so memory on the device is held as long as
/// OpenCV's plan of a net's memory holds it on the host.
class Ticket {
 public:
  /// Writes a ticket over `blob`, which is continuous and has one float at least.
  static Ticket write(cv::Mat& blob, DeviceBlob device);
  /// For a blob whose values are in its memory too: found by these values in this place.
  static Ticket beside(const cv::Mat& blob, DeviceBlob device);

  Ticket(Ticket&& other) noexcept : number_(other.number_) { other.number_ = 0; }
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket();

 private:
  explicit Ticket(std::uint32_t number) : number_(number) {}

  std::uint32_t number_;
};

/// Whether a ticket stands in place of a blob's values.
bool isTicket(const cv::Mat& blob);

/// Where a blob is on the device; none where the host alone has it. std::runtime_error for a ticket
/// that does not count any more, or of another shape.
DeviceBlob findOnDevice(const cv::Mat& blob);

}  // namespace mpm::dnn
