// SPDX-License-Identifier: Apache-2.0
#include "files/standard_files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <functional>
#include <string>

#include "cli/folder.h"

namespace mpm::test {
namespace {

// What a process without these descriptors comes to: its exit status.
int statusWithout(const std::string& closed, const std::function<bool()>& isWell) {
  const pid_t child = fork();
  if (child == 0) {
    for (const char digit : closed) close(digit - '0');
    _exit(isWell() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(StandardFiles, OfWhichAnyWereClosedAreNeverAnotherFile) {
  for (const char* closed : {"", "0", "1", "2", "01", "02", "12", "012"}) {
    const auto isAnotherFile = [] { return open("/dev/null", O_RDONLY) > 2; };
    EXPECT_EQ(statusWithout(closed,
                            [&] {
                              files::keepStandardFiles();
                              return isAnotherFile();
                            }),
              0)
        << closed;
    if (*closed == '\0') continue;
    EXPECT_NE(statusWithout(closed, isAnotherFile), 0)
        << closed << ": then there is no need for it";
  }
}

TEST(StandardFiles, ThatWereClosedFailAsThen) {
  EXPECT_EQ(statusWithout("012",
                          [] {
                            files::keepStandardFiles();
                            char letter = 'a';
                            return read(0, &letter, 1) < 0 && write(1, &letter, 1) < 0 &&
                                   write(2, &letter, 1) == 1;
                          }),
            0);
}

TEST(StandardFiles, ThatAreOpenStay) {
  const Folder folder;
  const std::string path = folder.write("a", "");
  EXPECT_EQ(statusWithout("12",
                          [&] {
                            if (open(path.c_str(), O_WRONLY) != 1) return false;
                            files::keepStandardFiles();
                            return write(1, "told", 4) == 4;
                          }),
            0);
  EXPECT_EQ(bytesOf(path), "told");
}

}  // namespace
}  // namespace mpm::test
