// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// What all readers have in common: what a library throws becomes a fault, no fault holds a secret,
/// and no picture is larger than the options allow.
class GuardedReader : public Reader {
 public:
  explicit GuardedReader(const SourceAddress& address, const ReaderOptions& options = {})
      : address_(address), options_(options) {}

  bool open() final;
  ReadStatus read(Shot& shot) final;
  bool seek(std::int64_t positionMs) final;
  const std::string& fault() const final { return fault_; }

 protected:
  virtual bool openSource() = 0;
  virtual ReadStatus readSource(Shot& shot) = 0;
  virtual bool seekSource(std::int64_t /*positionMs*/) { return false; }

  const SourceAddress& address() const { return address_; }
  const ReaderOptions& options() const { return options_; }
  bool isTooLarge(const cv::Size& size) const {
    return 1.0 * size.width * size.height > 1e6 * options_.mostMegapixels;
  }
  /// Whether pictures of this size may be read; else tells it. Empty: it is not known yet.
  bool fits(const cv::Size& size);
  void tell(const std::string& fault);        ///< one sentence, for fault()
  bool refuse(const std::string& fault);      ///< tells it and returns false
  ReadStatus fail(const std::string& fault);  ///< the same of a read

 private:
  SourceAddress address_;
  ReaderOptions options_;
  std::string fault_;
};

}  // namespace mpm::monitor
