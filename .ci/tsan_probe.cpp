// SPDX-License-Identifier: Apache-2.0
// Is ThreadSanitizer worth its time here? Without arguments this program's threads are ordered by
// an atomic alone, with one they race.
#include <atomic>
#include <thread>
#include <vector>

int main(int argc, char**) {
  std::vector<int> values(1000, 1);
  std::atomic<bool> ready{false};
  int sum = 0;
  std::thread other([&] {
    for (int& value : values) value = 2;
    ready.store(true, std::memory_order_release);
  });
  while (argc == 1 && !ready.load(std::memory_order_acquire)) std::this_thread::yield();
  for (const int value : values) sum += value;
  other.join();
  return sum < 0 ? 1 : 0;
}
