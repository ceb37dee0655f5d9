// SPDX-License-Identifier: Apache-2.0
// What befalls a record in another process: kills, disks that are full, and users who may not.
#include <signal.h>

#include <cstdlib>
#include <random>

#include "cli/folder.h"
#include "monitor/publish/child_process.h"
#include "monitor/record/database.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// The program monitor_record_child beside the tests, in a process of its own.
class Child {
 public:
  explicit Child(std::vector<std::string> words) : process_(withProgram(words), log_.at("log")) {}

  void kill() { process_.end(SIGKILL); }  // at once, and waits
  int wait() { return process_.end(0); }  // its exit status
  std::string output() const { return readText(log_.at("log")); }
  // Waits for a line that begins so, two minutes at most.
  bool says(const std::string& begin) const {
    return test::eventually(
        [&] { return ("\n" + output()).find("\n" + begin) != std::string::npos; });
  }

 private:
  static std::vector<std::string> withProgram(std::vector<std::string>& words) {
    words.insert(words.begin(), MPM_RECORD_CHILD);
    return words;
  }

  test::Folder log_;
  ChildProcess process_;
};

class RecordElsewhere : public testing::TestWithParam<const char*> {};

// record_child.cpp has what happens.
TEST_P(RecordElsewhere, GoesWell) {
  const Folder folder;
  fs::permissions(folder.path(), fs::perms(0777));
  Child child({GetParam(), folder.path().string()});
  const int status = child.wait();
  if (status == 77) GTEST_SKIP() << "no small disk, or no other user, can be had here";
  EXPECT_EQ(status, 0) << child.output();
}

INSTANTIATE_TEST_SUITE_P(RecordFault, RecordElsewhere,
                         testing::Values("full", "forbidden", "readonly"),
                         [](const auto& one) { return std::string(one.param); });

std::int64_t nowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What a killed child had said.
struct Told {
  std::int64_t run = 0, queued = 0, committed = 0;
  std::int64_t queuedBefore = 0;  // so many were queued two seconds before its end
};

Told killed(Child& child) {
  child.kill();
  const std::int64_t endMs = nowMs();
  Told told;
  std::istringstream lines(child.output());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    std::int64_t number = 0, atMs = 0;
    words >> what >> number >> atMs;
    if (what == "run") told.run = number;
    if (what == "committed") told.committed = number;
    if (what == "queued") told.queued = number;
    if (what == "queued" && atMs <= endMs - 2000) told.queuedBefore = number;
  }
  return told;
}

// The seconds of a run are whole up to some point, and its day says the same: how far.
std::int64_t secondsOf(const std::string& path, std::int64_t run) {
  Database database(path, Database::Access::readOnly, kDiskMs);
  const std::string ofRun = " FROM bucket WHERE resolution = 0 AND run = " + std::to_string(run);
  const std::int64_t count = database.number("SELECT count(*)" + ofRun);
  const std::int64_t last = database.number("SELECT max(start_utc_ms)" + ofRun);
  EXPECT_EQ(last, count == 0 ? 0 : kNoon + 1000 * (count - 1)) << "there is a hole";
  const auto days = RecordReader(path).buckets("gate", Resolution::day, 0, kEver, {"luma"}, run);
  EXPECT_EQ(days.size(), count > 0 ? 1u : 0u);
  for (const Bucket& day : days) EXPECT_EQ(day.tallies[0].largest, static_cast<double>(count));
  return count;
}

// Every row leads to its files, and there is no file without a row.
void checkSnapshots(const std::string& path, const fs::path& folder) {
  std::ptrdiff_t files = 0;
  for (const RecordedSnapshot& snapshot : snapshotsIn(path)) {
    EXPECT_TRUE(fs::exists(snapshot.labels)) << snapshot.labels;
    EXPECT_TRUE(fs::exists(snapshot.overlay)) << snapshot.overlay;
    files += 3;
  }
  EXPECT_EQ(fs::exists(folder) ? std::distance(fs::directory_iterator(folder), {}) : 0, files);
}

void checkAfterKill(const std::string& path, const Told& told) {
  { const Record record(path); }  // opens, and finds nothing damaged
  Database(path, Database::Access::readWrite, kDiskMs).checkSound("integrity_check");
  if (told.run == 0) return;  // killed before it began
  const std::int64_t seconds = secondsOf(path, told.run);
  EXPECT_GE(seconds, told.committed) << "of " << told.queued;
  // One more may have been queued than was told.
  EXPECT_LE(seconds, told.queued + 1);
}

TEST(RecordKill, AtAnyMomentLosesNothingThatWasCommitted) {
  const char* times = std::getenv("MPM_KILLS");
  const int kills = times != nullptr ? std::atoi(times) : 30;
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  const auto seed = static_cast<std::uint64_t>(nowMs());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int begun = 0;
  for (int i = 0; i < kills && !HasFailure(); ++i) {
    Child child({"write", path, std::to_string(1 + random() % 20)});
    const bool late = i % 4 != 0;  // some while they open the record, most while they write
    ASSERT_TRUE(!late || child.says("committed "));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60000));
    const Told said = killed(child);
    begun += said.run > 0;
    checkAfterKill(path, said);
    checkSnapshots(path, folder / "a-snapshots");
  }
  EXPECT_GE(begun, kills / 2);
  for (const auto& file : fs::directory_iterator(folder.path()))
    EXPECT_FALSE(has(file.path().string(), "damaged"));
}

// Kills some that write as usual, one after the other: whether all lost two seconds at most.
bool losesLittle(const Folder& folder, const std::string& prefix) {
  constexpr std::size_t kChildren = 4;
  std::vector<std::unique_ptr<Child>> children;
  const auto path = [&](std::size_t i) { return folder / (prefix + std::to_string(i)); };
  for (std::size_t i = 0; i < kChildren; ++i)
    children.push_back(std::make_unique<Child>(std::vector<std::string>{"write", path(i), "1000"}));
  bool little = true;
  for (std::size_t i = 0; i < kChildren; ++i) {
    // A hundred a second at most: two seconds and more of writing, each child at another moment.
    EXPECT_TRUE(children[i]->says("queued " + std::to_string(250 + 17 * i) + " "));
    const Told said = killed(*children[i]);
    checkAfterKill(path(i), said);
    little &= said.queuedBefore > 0 && secondsOf(path(i), said.run) >= said.queuedBefore;
  }
  return little;
}

TEST(RecordKill, WithTheUsualCommitsLosesTwoSecondsAtMost) {
  const Folder folder;
  // Where a machine stands still for a second, so does the record: once is enough to show it.
  bool little = false;
  for (int i = 0; i < 10 && !little; ++i) little = losesLittle(folder, std::to_string(i) + "-");
  EXPECT_TRUE(little);
}

TEST(RecordKill, ASecondProcessIsRefusedUntilTheFirstIsGone) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Child child({"hold", path});
  ASSERT_TRUE(child.says("held"));
  EXPECT_TRUE(
      has(refusal([&] { Record record(path); }), ") is writing to \"" + path + "\": stop it"));
  EXPECT_TRUE(RecordReader(path).sources().empty());  // readers come in
  child.kill();
  EXPECT_EQ(refusal([&] { Record record(path); }), "");
}

}  // namespace
}  // namespace mpm::monitor
