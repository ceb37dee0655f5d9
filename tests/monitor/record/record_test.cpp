// SPDX-License-Identifier: Apache-2.0
// What a record gives back of what was written, also meanwhile, and what it refuses.
#include "monitor/record/record.h"

#include <bit>
#include <random>

#include "monitor/record/database.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

const std::vector<std::string> kMetrics = sampleRun().metrics;

// A record "a.sqlite", and what is read of it once all is written.
class RecordRead : public testing::Test {
 protected:
  std::int64_t begin(const std::string& source = "gate",
                     const std::vector<std::string>& metrics = kMetrics) {
    if (!record_) record_ = std::make_unique<Record>(path_, RecordOptions(), clock_);
    return record_->beginRun(sampleRun(source, metrics));
  }
  RecordReader read() {
    EXPECT_TRUE(!record_ || record_->flush(kDiskMs));
    return RecordReader(path_);
  }
  std::vector<Bucket> buckets(const std::vector<std::string>& metrics = kMetrics,
                              Resolution resolution = Resolution::second, std::int64_t from = 0,
                              std::int64_t to = kEver) {
    return read().buckets("gate", resolution, from, to, metrics);
  }

  Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
  ManualClock clock_{kNoon};
  std::unique_ptr<Record> record_;
};

auto fieldsOf(const Event& event) {
  return std::tuple(event.at.utcMs, event.at.steadyMs, event.at.era, event.at.synchronised,
                    event.kind, event.name, event.text, event.value);
}
auto fieldsOf(const RunFacts& run) {
  return std::tuple(run.source, run.address, run.model, run.modelHash, run.settings, run.version,
                    run.metrics, run.begun.utcMs);
}

TEST_F(RecordRead, EverythingComesBackToTheBit) {
  const std::vector<Event> events{
      {{5, kNoon + 5, 1, false}, "rule", "r, \"quoted\"", "line\nand \xc3\xa9", -0.5},
      {{6, kNoon + 6, 1, true}, "light", "dusk", "", {}}};
  const std::int64_t run = begin();
  std::vector<Bucket> written;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> values(-10, 10);
  for (int i = 0; i < 200; ++i) {
    const Series::Changed changed = sampleBucket(kNoon + 1000 * i, values(random));
    written.push_back(changed.bucket);
    record_->write(run, {changed});
  }
  for (const Event& event : events) record_->write(run, event);
  EXPECT_TRUE(record_->flush(kDiskMs));
  const RecordStatus status = record_->status();
  EXPECT_EQ(status.fault, "");
  EXPECT_EQ(status.written, 202u);
  EXPECT_EQ(status.lost + status.waiting, 0u);
  EXPECT_GT(status.bytes, 50000);
  EXPECT_GT(status.freeBytes, 0);
  EXPECT_FALSE(status.daysToFull);
  record_.reset();
  EXPECT_EQ(read().sources(), std::vector<std::string>{"gate"});
  EXPECT_EQ(buckets(), written);
  EXPECT_TRUE(buckets(kMetrics, Resolution::minute).empty());
  const std::vector<Event> back = eventsIn(path_);
  ASSERT_EQ(back.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(fieldsOf(back[i]), fieldsOf(events[i]));
  EXPECT_EQ(fieldsOf(read().runs("gate").at(0).facts), fieldsOf(sampleRun()));
}

TEST_F(RecordRead, AClockSetBackAnHourAndForthLosesNothing) {
  const std::int64_t run = begin();
  std::vector<Bucket> expected;
  for (const std::int64_t begins : {kNoon, kNoon - 3600000, kNoon}) {  // the very seconds once more
    clock_.setUtc(begins);
    for (int i = 0; i < 20; ++i, clock_.advance(1000)) {
      const Moment now = clock_.now();
      expected.push_back(
          sampleBucket(now.utcMs, static_cast<double>(now.steadyMs), Resolution::second, now.era)
              .bucket);
      record_->write(run, {{Resolution::second, expected.back()}});
    }
  }
  EXPECT_EQ(buckets(), expected);
  EXPECT_EQ(buckets(kMetrics, Resolution::second, kNoon, kNoon + 5000).size(), 10u);
  EXPECT_EQ(read().firstBucket("gate", Resolution::second, 0), kNoon - 3600000);
}

TEST_F(RecordRead, RunsAreNumberedOnOverManyLives) {
  for (std::int64_t life = 1; life <= 3; ++life) {
    EXPECT_EQ(begin(), 2 * life - 1);
    EXPECT_EQ(begin("yard"), 2 * life);
    record_.reset();
  }
  EXPECT_EQ(read().sources(), (std::vector<std::string>{"gate", "yard"}));
  EXPECT_EQ(read().runs("gate").size(), 3u);
  EXPECT_EQ(read().runs("gate")[2].id, 5);
}

TEST_F(RecordRead, WhatIsQueuedAtTheEndIsWritten) {
  {
    // For so long its end waits for the disk.
    Record record(path_, {.commitEveryMs = 3600000, .silentMs = kDiskMs});
    writeSeconds(record, record.beginRun(sampleRun()), 12000);
    EXPECT_EQ(record.status().waiting, 12000u);
  }
  EXPECT_EQ(countIn(path_), 12000u);
}

TEST_F(RecordRead, WrongThingsAreRefusedInASentence) {
  const std::int64_t run = begin();
  EXPECT_EQ(refusal([&] { record_->write(99, Event{}); }),
            "There is no run 99: begin one, and write to that");
  EXPECT_THROW(record_->write(99, std::vector<Series::Changed>{}), std::invalid_argument);
  EXPECT_THROW(record_->write(99, Snapshot{}), std::invalid_argument);
  Series::Changed changed = sampleBucket(kNoon, 1);
  changed.bucket.tallies.pop_back();
  EXPECT_EQ(refusal([&] { record_->write(run, {changed}); }),
            "A bucket of 1 tallies for run 1, which has 2 metrics");
  EXPECT_THROW(begin(""), std::invalid_argument);
  EXPECT_THROW(begin("x", {"a", "a"}), std::invalid_argument);
  EXPECT_EQ(record_->status().waiting, 0u);
  EXPECT_THROW(Record(folder_ / "b.sqlite", {.mostBytes = 1000}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.sqlite"));
}

TEST_F(RecordRead, GoesOnWhileItIsWritten) {
  Record record(path_, {.commitEveryMs = 2});
  const std::int64_t run = record.beginRun(sampleRun());
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> queued = 0;
  std::thread writer([&] {
    for (std::int64_t i = 0; !stop; ++i) {
      record.write(run, {sampleBucket(kNoon + 1000 * i, 1),
                         sampleBucket(kNoon, static_cast<double>(i), Resolution::day)});
      queued = i + 1;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  std::size_t seen = 0;
  for (int i = 0; i < 100 || (seen < 100 && i < 100000); ++i) {
    const auto days = buckets({"luma"}, Resolution::day), seconds = buckets({"luma"});
    EXPECT_GE(seconds.size(), seen);  // nothing goes again
    seen = seconds.size();
    // One transaction has both: the later look sees at least what the earlier saw of the other.
    if (!days.empty()) {
      EXPECT_EQ(days.size(), 1u) << "its later self replaces it";
      EXPECT_GE(static_cast<double>(seen), days[0].tallies[0].largest + 1);
    }
    for (std::size_t k = 0; k < seen; ++k)
      ASSERT_EQ(seconds[k].startUtcMs, kNoon + 1000 * static_cast<std::int64_t>(k));
  }
  stop = true;
  writer.join();
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(countIn(path_), static_cast<std::size_t>(queued));
}

TEST_F(RecordRead, MetricsComeInTheOrderAskedForAndRunsThatLackThemHaveNone) {
  const std::int64_t old = begin(), later = begin("gate", {"area.car", "luma"});
  record_->write(old, {sampleBucket(kNoon, 1)});
  record_->write(later, {sampleBucket(kNoon + 1000, 2)});
  const auto found = buckets({"live_rows", "luma", "none"});
  ASSERT_EQ(found.size(), 2u);
  const auto first = sampleBucket(kNoon, 1).bucket.tallies;
  EXPECT_EQ(found[0].tallies, (std::vector{first[1], first[0], Tally{}}));
  EXPECT_EQ(found[1].tallies,
            (std::vector{Tally{}, sampleBucket(kNoon, 2).bucket.tallies[1], Tally{}}));
}

TEST_F(RecordRead, BucketsOfSeveralRunsStayApart) {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t run = begin();
    for (const std::int32_t era : {0, 7})
      record_->write(run, {sampleBucket(kNoon, i + 1, Resolution::day, era)});
  }
  record_->write(begin("yard"), {sampleBucket(kNoon, 50, Resolution::day)});
  const auto days = buckets({"luma"}, Resolution::day);
  ASSERT_EQ(days.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(days[i].era, i % 2 * 7) << "by run, in each by era";
    EXPECT_EQ(days[i].tallies[0].largest, i / 2 + 1);
  }
  const RecordReader reader(path_);
  EXPECT_EQ(reader.buckets("gate", Resolution::day, 0, kEver, {"luma"}, reader.runs("gate")[1].id),
            (std::vector{days[2], days[3]}));
}

TEST_F(RecordRead, RangesIncludeTheirBeginningAlone) {
  const std::int64_t run = begin();
  writeSeconds(*record_, run, 10);
  for (int i = 0; i < 10; ++i) record_->write(run, eventAt(kNoon + 1000 * i));
  const RecordReader reader = read();
  EXPECT_EQ(reader.buckets("gate", Resolution::second, kNoon + 2000, kNoon + 5000, {}).size(), 3u);
  EXPECT_EQ(reader.events("gate", kNoon + 2000, kNoon + 5000).size(), 3u);
  EXPECT_TRUE(reader.buckets("gate", Resolution::second, kNoon, kNoon, {}).empty());
  EXPECT_EQ(reader.firstBucket("gate", Resolution::second, kNoon + 1), kNoon + 1000);
  EXPECT_FALSE(reader.firstBucket("gate", Resolution::second, kNoon + 9001));
  EXPECT_FALSE(reader.firstBucket("gate", Resolution::hour, 0));
  EXPECT_TRUE(reader.runs("nobody").empty());
  EXPECT_TRUE(reader.buckets("nobody", Resolution::second, 0, kEver, {}).empty());
}

TEST_F(RecordRead, FollowsARecordThatWasReplaced) {
  begin("old");
  record_.reset();
  const RecordReader reader = read();
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"old"});
  std::filesystem::rename(path_, folder_ / "b.sqlite");
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"old"});
  begin("new");
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"new"});
}

TEST(Blobs, EveryTallyComesBackToTheBit) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> values(-1e3, 1e3);
  std::vector<Tally> tallies{{},
                             {4000000000, std::numeric_limits<double>::quiet_NaN()},
                             tallyOf({0.0, 0.0}),
                             tallyOf({-0.0}),
                             tallyOf({1e308, 1e308}),
                             tallyOf({5e-324}),
                             tallyOf({0.1, 0.1, 0.1}),
                             tallyOf({1024, 1024})};
  for (int i = 0; i < 500; ++i) {
    tallies.emplace_back();
    for (std::uint64_t n = random() % 12; n > 0; --n)
      tallies.back().add(i % 3 == 0 ? 0.1 * i : values(random));
  }
  const auto bits = [](const Tally& tally) {
    const auto of = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    return std::tuple(tally.count, of(tally.sum), of(tally.squares), of(tally.smallest),
                      of(tally.largest));
  };
  const auto back = decodeTallies(encodeTallies(tallies), tallies.size());
  ASSERT_TRUE(back && back->size() == tallies.size());
  for (std::size_t i = 0; i < tallies.size(); ++i)
    EXPECT_EQ(bits((*back)[i]), bits(tallies[i])) << i;
}

TEST(Blobs, WhatIsCutOffTooLongOrUnknownIsRefused) {
  const std::string blob = encodeTallies({Tally{}, tallyOf({1, 1}), tallyOf({1, 2})});
  for (std::size_t size = 2; size < blob.size(); ++size) {
    if (size == 14) continue;  // between two tallies
    EXPECT_FALSE(decodeTallies(std::string_view(blob).substr(0, size), 3)) << size;
  }
  EXPECT_TRUE(decodeTallies(blob, 3));
  EXPECT_FALSE(decodeTallies(blob, 2)) << "more than a run has";
  EXPECT_FALSE(decodeTallies(std::string_view("\3", 1), 1));
  EXPECT_FALSE(decodeFrames(std::string_view("\1\0\0", 3)));
}

TEST(Blobs, LightStatesMayComeAndGo) {
  const Frames frames{1, 2, 3, 4, 5, 6};
  const std::string blob = encodeFrames(frames);
  EXPECT_EQ(decodeFrames(blob), frames);
  EXPECT_EQ(decodeFrames(blob + std::string(4, '\1')), frames);
  EXPECT_EQ(decodeFrames(blob.substr(0, 8)), (Frames{1, 2, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace mpm::monitor
