// SPDX-License-Identifier: Apache-2.0
#include "dnn/quiet_domain.h"

#include <iostream>
#include <streambuf>
#include <string_view>

namespace mpm::dnn {
namespace {

// Passes everything on but messages about the domain. OpenCV writes a message in one piece.
class Filter final : public std::streambuf {
 public:
  explicit Filter(std::streambuf* next) : next_(next) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string_view message(text, static_cast<std::size_t>(size));
    if (message.find("missing dispatch map for domain='mpm'") != std::string_view::npos)
      return size;
    return next_->sputn(text, size);
  }
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    return next_->sputc(traits_type::to_char_type(letter));
  }
  int sync() override { return next_->pubsync(); }

 private:
  std::streambuf* next_;
};

}  // namespace

void keepDomainQuiet() {
  // Never destroyed: std::cerr writes until the very end. (The library is not unloaded either.)
  static Filter* const filter = new Filter(std::cerr.rdbuf());
  std::cerr.rdbuf(filter);
}

}  // namespace mpm::dnn
