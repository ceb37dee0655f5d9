// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

TEST(LockFile, ASecondOneIsToldWhoHasTheFirst) {
  const Folder folder;
  LockFile lock(folder / "a.sqlite");
  lock.claim();
  const std::string text = refusal([&] { const LockFile second(folder / "a.sqlite"); });
  EXPECT_NE(text.find("Another process (" + std::to_string(getpid()) + ") is writing to"),
            std::string::npos)
      << text;
  const LockFile other(folder / "b.sqlite");
}

TEST(LockFile, IsFreeOnceItsHolderIsGone) {
  const Folder folder;
  { LockFile(folder / "a.sqlite").claim(); }
  const LockFile again(folder / "a.sqlite");
  EXPECT_TRUE(again.wasClaimed());
}

TEST(LockFile, LeavesNoTraceWhereNothingWasClaimed) {
  const Folder folder;
  { EXPECT_FALSE(LockFile(folder / "a.sqlite").wasClaimed()); }
  EXPECT_FALSE(std::filesystem::exists(LockFile::pathOf(folder / "a.sqlite")));
}

TEST(LockFile, NamesAFolderThatIsNotThere) {
  const Folder folder;
  const std::string text = refusal([&] { const LockFile lock(folder / "none/a.sqlite"); });
  EXPECT_NE(text.find("none/a.sqlite-lock\" cannot be created (No such file"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace mpm::monitor
