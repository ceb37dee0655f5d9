// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// What all readers have in common: what a library throws becomes a fault, and no fault holds a
/// secret.
class GuardedReader : public Reader {
 public:
  explicit GuardedReader(const SourceAddress& address) : address_(address) {}

  bool open() final;
  ReadStatus read(Shot& shot) final;
  bool seek(std::int64_t positionMs) final;
  const std::string& fault() const final { return fault_; }

 protected:
  virtual bool openSource() = 0;
  virtual ReadStatus readSource(Shot& shot) = 0;
  virtual bool seekSource(std::int64_t /*positionMs*/) { return false; }

  const SourceAddress& address() const { return address_; }
  void tell(const std::string& fault);        ///< one sentence, for fault()
  bool refuse(const std::string& fault);      ///< tells it and returns false
  ReadStatus fail(const std::string& fault);  ///< the same of a read

 private:
  SourceAddress address_;
  std::string fault_;
};

}  // namespace mpm::monitor
