// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "monitor/source/capture.h"
#include "monitor/source/scripted_reader.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

// Destroyed when the process ends, as what libraries keep is.
struct Library {
  ~Library();
};

std::atomic<bool> usable{true};  // not the library's: a compiler leaves stores to dead objects out
Library::~Library() { usable = false; }

std::atomic<bool> released{false};
std::atomic<int> waiting{0};

void useOrCrash() {
  static Library library;
  static_cast<void>(library);
  if (!usable) std::abort();
}

class StuckReader : public Reader {
 public:
  ~StuckReader() override { useOrCrash(); }
  bool open() override {
    useOrCrash();
    return true;
  }
  ReadStatus read(Shot&) override {
    ++waiting;
    while (!released) std::this_thread::sleep_for(milliseconds(1));
    useOrCrash();  // still inside the call, as in libsrt
    return ReadStatus::failed;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return true; }

 private:
  std::string fault_;
};

// A process that ends while readers are stuck, which come free when all else is destroyed.
void endWithStuckReaders() {
  std::atexit([] {  // registered first, runs last
    released = true;
    std::this_thread::sleep_for(milliseconds(200));  // a window: who is stopped never says so
  });
  useOrCrash();
  {
    CaptureOptions options = test::quick();
    options.abandonAfterMs = 20;
    options.mostAbandoned = 3;
    Capture capture(
        "camera", [] { return std::make_unique<StuckReader>(); }, options);
    test::eventually([] { return waiting == 3; });
  }
  std::exit(0);
}

TEST(CaptureEndDeathTest, AbandonedReadersDoNotCrashAProcessThatEnds) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(endWithStuckReaders(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace mpm::monitor
