// SPDX-License-Identifier: Apache-2.0
// Is ThreadSanitizer worth its time here? Without arguments this program is ordered by OpenMP
// alone, with one it has a race.
#include <vector>

int main(int argc, char**) {
  std::vector<int> in(1000, 1);
  std::vector<int> out(1000);
  int sum = 0;
  for (int pass = 0; pass < 20; ++pass) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 1000; ++i) out[i] = in[i];
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 1000; ++i) (argc > 1 ? sum : in[999 - i]) += out[i] % 2;
  }
  return sum < 0 ? 1 : 0;
}
