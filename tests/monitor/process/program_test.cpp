// SPDX-License-Identifier: Apache-2.0
#include "monitor/process/program.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli/folder.h"
#include "monitor/process/processes.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using monitor::endingOf;
using monitor::startProgram;

std::string endingAfterAll(pid_t pid) {
  std::string ending;
  EXPECT_TRUE(eventually([&] {
    const auto found = endingOf(pid);
    if (found) ending = *found;
    return found.has_value();
  }));
  return ending;
}

class Program : public testing::Test {
 protected:
  // Runs `script` in sh with the path of a file "out" as $1; gives how it ended.
  std::string run(const std::string& script) {
    const auto started = startProgram({"/bin/sh", "-c", script, "sh", out_});
    EXPECT_EQ(started.fault, "");
    return started.fault.empty() ? endingAfterAll(started.pid) : "";
  }

  const Folder folder_;
  const std::string out_ = folder_.at("out");
};

TEST_F(Program, GetsOneDescriptorMoreWhereItIsGivenOne) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto started = startProgram({"/bin/sh", "-c", "echo $WORD >&3"}, {ends[1]}, {"WORD=heard"});
  close(ends[1]);
  EXPECT_EQ(started.fault, "");
  char heard[16] = {};
  EXPECT_EQ(read(ends[0], heard, sizeof heard), 6);
  EXPECT_STREQ(heard, "heard\n");
  close(ends[0]);
  EXPECT_EQ(endingAfterAll(started.pid), "");
}

TEST_F(Program, GetsNothingToReadAndNoDescriptors) {
  const int odd = 77;
  ASSERT_EQ(dup2(STDOUT_FILENO, odd), odd) << "without FD_CLOEXEC";
  EXPECT_EQ(run("wc -c > \"$1\"; if [ -e /proc/$$/fd/77 ]; then echo leaked >> \"$1\"; fi"), "");
  close(odd);
  EXPECT_EQ(bytesOf(out_), "0\n");
}

TEST_F(Program, PrintsToTheErrors) {
  const int before = dup(STDERR_FILENO);
  const int file = open(out_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(dup2(file, STDERR_FILENO), 0);
  const std::string ending = run("echo out; echo error >&2");
  dup2(before, STDERR_FILENO);
  close(file);
  close(before);
  EXPECT_EQ(ending, "");
  EXPECT_EQ(bytesOf(out_), "out\nerror\n");
}

TEST_F(Program, RunsWhereErrorsAreClosed) {
  const int before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
  close(STDERR_FILENO);
  const std::string ending = run("echo x; echo y >&2 && echo z > \"$1\"");
  dup2(before, STDERR_FILENO);
  close(before);
  EXPECT_EQ(ending, "");
  EXPECT_EQ(bytesOf(out_), "z\n");
}

TEST_F(Program, HasEverySignalAsUsual) {
  if (statOf("self").empty()) GTEST_SKIP() << "there is no /proc";
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGTERM);
  sigaddset(&some, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &some, &before);
  const auto pipeBefore = signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(
      run("while read -r key value; do case $key in SigBlk:|SigIgn:) echo $key $value;; esac; "
          "done < /proc/$$/status > \"$1\""),
      "");
  signal(SIGPIPE, pipeBefore);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::istringstream told(bytesOf(out_));
  std::string key;
  // 32 and 33 are glibc's own: a program cannot send itself one by name.
  for (std::uint64_t signals = 0; told >> key >> std::hex >> signals;)
    EXPECT_EQ(signals & ~std::uint64_t{0x180000000}, 0U) << key;
  EXPECT_EQ(key, "SigIgn:");
}

}  // namespace
}  // namespace mpm::test
