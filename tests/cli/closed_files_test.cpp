// SPDX-License-Identifier: Apache-2.0
// mpm where its standard input, output or error is closed, as some services start programs, or
// cannot be written for a while.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/mpm.h"
#include "cli/running_monitor.h"
#include "monitor/record/database.h"

namespace mpm::test {
namespace {

using Words = std::vector<std::string>;

// `redirection`: of a shell.
Ended mpmWith(const std::string& redirection, const Words& words) {
  Words all{"/bin/sh", "-c", "exec \"$0\" \"$@\" " + redirection, mpmPath()};
  all.insert(all.end(), words.begin(), words.end());
  return runProgram(all);
}

Words monitorInto(const std::string& record) {
  return {"watch",    "scene:?size=64x64",
          "--model",  modelFile("segmenter_mask.onnx"),
          "--record", record,
          "--for",    "0.5"};
}

// Seen: the log went into the record's lock, whose process id was not to be read any more.
TEST(ClosedFiles, WhatAMonitorPrintsGoesIntoNoFileOfTheRecords) {
  for (const char* closed : {"2>&-", ">&-", "<&- 2>&-", "<&- >&- 2>&-"}) {
    SCOPED_TRACE(closed);
    const Folder folder(Disk::memory);
    const std::string record = folder.at("a.sqlite");
    const Ended ended = mpmWith(closed, monitorInto(record));
    const bool hasOutput = std::string(closed).find(" >&-") == std::string::npos && *closed != '>';
    EXPECT_EQ(ended.status, hasOutput ? 0 : 1) << ended.err;
    EXPECT_EQ(ended.out.empty(), !hasOutput);
    const std::string lock = bytesOf(record + "-lock");
    EXPECT_EQ(lock.find_first_not_of("0123456789"), lock.size() - 1) << lock;
    monitor::Database(record, monitor::Database::Access::readOnly, 0).checkSound("quick_check");
  }
}

TEST(ClosedFiles, OutputThatCannotBeWrittenIsToldAndFails) {
  const Ended ended = mpmWith(">&-", {"info", modelFile("segmenter_mask.onnx")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "mpm: cannot write to the standard output\n");
}

// As on a disk that was full for a moment. Seen: nothing was logged any more, for ever.
TEST(ClosedFiles, ALogThatCannotBeWrittenGoesOnWhenItCan) {
  const auto heed = std::signal(SIGXFSZ, SIG_IGN);  // it is ignored in what is started from here
  NoticeSocket systemd;
  RunningMonitor monitor({"scene:?size=64x64"}, {"NOTIFY_SOCKET=" + systemd.path()});
  std::signal(SIGXFSZ, heed);
  ASSERT_EQ(systemd.next("READY="), "READY=1");
  rlimit before{};
  ASSERT_EQ(prlimit(monitor.id(), RLIMIT_FSIZE, nullptr, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(prlimit(monitor.id(), RLIMIT_FSIZE, &none, nullptr), 0);
  monitor.tell(SIGHUP);
  ASSERT_EQ(systemd.next("READY="), "READY=1");
  EXPECT_EQ(monitor.log().find("rules and zones were read again"), std::string::npos);
  ASSERT_EQ(prlimit(monitor.id(), RLIMIT_FSIZE, &before, nullptr), 0);
  monitor.tell(SIGHUP);
  ASSERT_EQ(systemd.next("READY="), "READY=1");
  EXPECT_NE(monitor.log().find("rules and zones were read again"), std::string::npos);
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
}

}  // namespace
}  // namespace mpm::test
