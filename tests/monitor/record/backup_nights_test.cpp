// SPDX-License-Identifier: Apache-2.0
// When backups are made by themselves, and what is told of those that cannot be.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "monitor/record/backup.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

TEST(Backups, AreMadeOnceANightAndFailuresTold) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  Record record(path.string());
  writeMinute(record, record.beginRun(sampleRun()), 0);
  Moment now{1000, kNoon, 0, true};
  const auto pass = [&](std::int64_t ms) {
    now.steadyMs += ms;
    now.utcMs += ms;
  };
  {
    Backups backups(path, 3);
    EXPECT_FALSE(backups.look(now));
    EXPECT_FALSE(fs::exists(backupOf(path, 1))) << "not while the program is starting";
    pass(300000);  // there is none yet
    EXPECT_FALSE(backups.look(now));
    ASSERT_TRUE(test::eventually([&] { return fs::exists(backupOf(path, 1)); }));
    for (int minute = 0; minute < 36 * 60; ++minute) {
      pass(60000);
      EXPECT_FALSE(backups.look(now));
    }
    ASSERT_TRUE(test::eventually([&] {
      pass(60000);  // the thread of the first may have had its last word only now
      backups.look(now);
      return fs::exists(backupOf(path, 2));
    }));
  }
  Backups broken(folder / "none.sqlite", 3);
  broken.look(now);
  pass(300000);
  std::optional<std::string> told = broken.look(now);
  ASSERT_TRUE(test::eventually([&] {
    if (!told) told = broken.look(now);
    return told.has_value();
  }));
  EXPECT_NE(told->find("none.sqlite"), std::string::npos);
  EXPECT_FALSE(broken.look(now)) << "once";
  EXPECT_EQ(broken.fault(), *told) << "until one is made";
}

// A moment of such an hour, local time.
Moment atHour(int hour) {
  Moment now{1000, kNoon, 0, true};
  const auto isIt = [&] {
    const auto seconds = static_cast<time_t>(now.utcMs / 1000);
    tm parts{};
    return localtime_r(&seconds, &parts) != nullptr && parts.tm_hour == hour;
  };
  while (!isIt()) now.utcMs += 600000;
  return now;
}

TEST(Backups, ThatFailedAtNightAreTriedAgainEveryHour) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite", away = folder / "away.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 2, kGoOn);
  }
  // It is a night old, so by its age none is due before another twelve hours have gone by.
  fs::last_write_time(backupOf(path, 1), fs::file_time_type::clock::now() - std::chrono::hours(24));
  fs::rename(path, away);
  Backups backups(path, 3);
  Moment now = atHour(3);
  int told = 0;
  const auto pass = [&](int minutes) {
    for (int minute = 0; minute < minutes; ++minute) {
      now.steadyMs += 60000;
      now.utcMs += 60000;
      if (backups.look(now)) ++told;
    }
  };
  backups.look(now);
  pass(5);
  ASSERT_TRUE(test::eventually([&] { return !backups.fault().empty(); }));
  pass(59);
  fs::rename(away, path);  // an hour later, at four
  EXPECT_FALSE(fs::exists(backupOf(path, 2)));
  pass(1);
  EXPECT_TRUE(test::eventually([&] { return backups.fault().empty(); }));
  EXPECT_TRUE(fs::exists(backupOf(path, 2)));
  EXPECT_EQ(told, 1);
  pass(8 * 60);
  EXPECT_FALSE(fs::exists(backupOf(path, 3))) << "one a night";
}

// The process's time zone, as TZ has it, until the test is over.
class Zone {
 public:
  explicit Zone(const char* zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  ~Zone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  std::optional<std::string> before_;
};

std::int64_t utcMsOf(int year, int month, int day, int hour) {
  tm parts{};
  parts.tm_year = year - 1900, parts.tm_mon = month - 1, parts.tm_mday = day;
  parts.tm_hour = hour;
  return std::int64_t{timegm(&parts)} * 1000;
}

// From the evening of a day for three nights, of which the second is that of the change: one each,
// at these hours of the first, second and third, in UTC.
void expectOneEachNight(const char* name, int year, int month, int day,
                        const std::array<int, 3>& hours) {
  const std::int64_t first = utcMsOf(year, month, day, 20);
  const std::array made{utcMsOf(year, month, day + 1, hours[0]),
                        utcMsOf(year, month, day + 2, hours[1]),
                        utcMsOf(year, month, day + 3, hours[2])};
  const Zone zone(name);
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 9, kGoOn);
  }
  fs::last_write_time(backupOf(path, 1), fs::file_time_type::clock::now() - std::chrono::hours(24));
  constexpr std::int64_t kStep = 300000;
  Backups backups(path, 9);
  int count = 1;
  for (Moment now{1000, first, 0, true}; now.utcMs <= made.back() + 12 * 3600000;
       now.utcMs += kStep, now.steadyMs += kStep) {
    EXPECT_FALSE(backups.look(now));
    if (std::find(made.begin(), made.end(), now.utcMs) != made.end()) ++count;
    // A day goes by in milliseconds here: the thread of the one before may end only now.
    ASSERT_TRUE(test::eventually([&] {
      if (!fs::exists(backupOf(path, count))) {
        EXPECT_FALSE(backups.look(now));
      }
      return fs::exists(backupOf(path, count));
    })) << name
        << ", " << now.utcMs;
    ASSERT_FALSE(fs::exists(backupOf(path, count + 1))) << name << ", " << now.utcMs;
  }
}

// Seen: where the hour was skipped it was made 36 hours after the last, in the afternoon, and the
// night behind that had none.
TEST(Backups, AreMadeOnceInNightsInWhichClocksChange) {
  // Berlin, where it is the hour before; summer ends at three, begins at two.
  const char* berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
  expectOneEachNight(berlin, 2027, 3, 26, {2, 1, 1});
  expectOneEachNight(berlin, 2026, 10, 23, {1, 2, 2});
  // Helsinki: the hour from three to four itself is skipped in spring, and comes twice in autumn.
  const char* helsinki = "EET-2EEST,M3.5.0/3,M10.5.0/4";
  expectOneEachNight(helsinki, 2027, 3, 26, {1, 1, 0});
  expectOneEachNight(helsinki, 2026, 10, 23, {0, 0, 1});
}

TEST(Backups, TellTheSameReasonOnce) {
  const Folder folder;
  Backups backups(folder / "none.sqlite", 3);
  Moment now{1000, kNoon, 0, true};
  int told = 0;
  const auto look = [&](std::int64_t ms) {
    now.steadyMs += ms;
    now.utcMs += ms;
    if (backups.look(now)) ++told;
  };
  look(0);
  look(300000);
  ASSERT_TRUE(test::eventually([&] {
    look(0);
    return told == 1;
  }));
  for (int hour = 0; hour < 5; ++hour) look(3600000);
  { std::ofstream(folder / "none.sqlite") << "and now it is no record"; }
  ASSERT_TRUE(test::eventually([&] {
    look(3600000);
    return told == 2;
  }));
}

}  // namespace
}  // namespace mpm::monitor
