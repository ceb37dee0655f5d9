// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>

/// How many rows to make room for behind a merge, before it is known how many are left. A wrong
/// guess costs time, never a result: one that is too low is noticed, and what was computed behind
/// it is thrown away.
namespace mpm::torch_runner {

/// A number on its way from the device.
class Arrival {
 public:
  virtual ~Arrival() = default;
  virtual bool isHere() = 0;  ///< does not wait
  virtual int value() = 0;    ///< once it is here
};

/// Of one merge.
class Capacity {
 public:
  struct Rule {
    int bucket = 256;            ///< guesses are multiples of so many rows: few sizes, for GEMMs
    int recent = 8;              ///< batches that are looked back on
    double margin = 1.0 / 16.0;  ///< more rows than the largest of these
  };

  Capacity() = default;
  explicit Capacity(const Rule& rule) : rule_(rule) {}

  /// Rows to make room for, from `least` to `incoming`. The latter where nothing is known: before
  /// a first total is here, behind `raise`, and where `worst`, the rows of all images if nothing
  /// had ever merged, is another than before.
  int guess(int worst, int least, int incoming);

  /// The rows that a batch of the same `worst` did leave; a negative number says nothing.
  void expect(std::unique_ptr<Arrival> total);

  /// A guess was too low: the next one is all rows that come in.
  void raise() { isRaised_ = true; }

 private:
  void lookAtArrivals();

  Rule rule_;
  int worst_ = 0;
  bool isRaised_ = false;
  std::deque<int> totals_;
  std::deque<std::unique_ptr<Arrival>> underway_;
};

/// What a result stands on: guesses, the last one first.
struct Guess {
  std::shared_ptr<Capacity> capacity;
  std::shared_ptr<const Guess> before;
};

/// Raises every guess: behind one that was too low the others have seen nothing true.
void raiseAll(const Guess* guess);

}  // namespace mpm::torch_runner
