// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "monitor/engine/engine.h"

namespace mpm::gui {

/// Holds an engine still while this thread measures, since what runs beside a measurement is
/// measured too, and lets it go on in between, so that its picture stays alive. An engine that is
/// to end waits for it.
class EngineRest {
 public:
  /// `least`: how long it rests before it goes on. std::future_error where the engine ends before
  /// it rests: so of `breathe`.
  explicit EngineRest(monitor::Engine& engine, std::chrono::milliseconds least = kRest)
      : engine_(engine), least_(least) {
    rest();
  }
  ~EngineRest() { wake(); }
  EngineRest(const EngineRest&) = delete;
  EngineRest& operator=(const EngineRest&) = delete;

  /// Between two measurements. Where it rested for long enough: a frame of each source, as far as
  /// they come soon, and it rests again.
  void breathe() {
    if (Clock::now() - since_ < least_) return;
    wake();
    const std::uint64_t before = frames();
    const auto until = Clock::now() + kBreath;
    while (frames() < before + engine_.sources() && Clock::now() < until)
      std::this_thread::sleep_for(kLook);
    rest();  // waits for a frame that was begun
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kRest{700}, kBreath{250}, kLook{5};

  std::uint64_t frames() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < engine_.sources(); ++i) all += engine_.frames(i);
    return all;
  }

  void rest() {
    wake_ = {};
    auto resting = std::make_shared<std::promise<void>>();
    std::future<void> rests = resting->get_future();
    engine_.withNetwork(
        [resting = std::move(resting), woken = wake_.get_future().share()](monitor::Network&) {
          resting->set_value();
          woken.wait();
        });
    rests.get();
    isResting_ = true;
    since_ = Clock::now();
  }

  void wake() {
    if (std::exchange(isResting_, false)) wake_.set_value();
  }

  monitor::Engine& engine_;
  std::chrono::milliseconds least_;
  std::promise<void> wake_;
  bool isResting_ = false;
  Clock::time_point since_;
};

}  // namespace mpm::gui
