// SPDX-License-Identifier: Apache-2.0
// What tests let happen in another process: to be killed, on a disk of its own, as somebody else.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

constexpr int kCannotBeDone = 77;

// Writes for ever. Tells "queued N MS" right after N seconds were queued at the time MS. With quick
// commits it takes snapshots, too, and now and then waits until all is on the disk: "committed N".
int write(const std::string& path, std::int64_t commitEveryMs) {
  const bool isQuick = commitEveryMs < 1000;
  Record record(path, {.commitEveryMs = commitEveryMs});
  const std::int64_t run = record.beginRun(sampleRun());
  std::printf("run %lld\n", static_cast<long long>(run));
  for (std::int64_t i = 0;; ++i) {
    record.write(run, {sampleBucket(kNoon + 1000 * i, 1),
                       sampleBucket(kNoon, static_cast<double>(i + 1), Resolution::day)});
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::printf(
        "queued %lld %lld\n", static_cast<long long>(i + 1),
        static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()));
    if (isQuick && i % 16 == 7) {
      Snapshot snapshot = snapshotAt(kNoon + i, cv::Mat(16, 16, CV_8U, cv::Scalar(1)));
      snapshot.overlay = cv::Mat(16, 16, CV_8UC3, cv::Scalar(1, 2, 3));
      record.write(run, snapshot);
    }
    if (isQuick && i % 10 == 4 && record.flush(kDiskMs))
      std::printf("committed %lld\n", static_cast<long long>(i + 1));
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(isQuick ? 1 : 10));
  }
}

int hold(const std::string& path) {
  Record record(path);
  std::cout << "held" << std::endl;
  pause();
  return 0;
}

// A disk of three megabytes, which nobody else sees.
bool mountSmallDisk(const std::string& folder) {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=3m") == 0;
}

int failed(const std::string& what) {
  std::cout << what << std::endl;
  return 1;
}

// Takes all room but so many bytes.
void fill(const std::string& path, std::uint64_t rest) {
  struct statvfs disk {};
  statvfs(path.substr(0, path.rfind('/')).c_str(), &disk);
  const std::uint64_t room = disk.f_bavail * disk.f_frsize;
  std::ofstream(path) << std::string(room - std::min(room, rest), 'x');
}

// Fills the disk while a record is written, and makes room again: nothing may be lost.
int full(const std::string& folder) {
  if (!mountSmallDisk(folder)) return kCannotBeDone;
  const std::string path = folder + "/a.sqlite";
  Record record(path, {.commitEveryMs = 5});
  const std::int64_t run = record.beginRun(sampleRun());
  fill(folder + "/filler", 200000);
  std::int64_t seconds = 0;
  const auto more = [&](int count) {
    for (int i = 0; i < count; ++i, ++seconds)
      record.write(run, {sampleBucket(kNoon + 1000 * seconds, 0.1 * static_cast<double>(i))});
  };
  for (int i = 0; i < 2000 && record.status().fault.empty(); ++i) {
    more(50);
    record.flush(20);
  }
  const std::string fault = record.status().fault;
  if (!fault.starts_with("The disk is full: \"" + path + "\" cannot grow")) return failed(fault);
  record.write(run, snapshotAt(kNoon, cv::Mat(64, 64, CV_8U, cv::Scalar(1))));
  more(500);
  if (record.flush(300)) return failed("all was written to a full disk");
  if (record.status().waiting < 500) return failed("too little waits");
  unlink((folder + "/filler").c_str());
  if (!record.flush(kDiskMs)) return failed("still: " + record.status().fault);
  const RecordStatus status = record.status();
  if (!status.fault.empty() || status.lost > 0) return failed("lost");
  if (countIn(path) != static_cast<std::size_t>(seconds)) return failed("seconds are missing");
  return snapshotsIn(path).size() == 1 ? 0 : failed("no snapshot");
}

bool becomeAnother() { return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0); }

// As a user who may read a folder and not write to it.
int readOnly(const std::string& folder) {
  const std::string path = folder + "/a.sqlite";
  {
    Record record(path);
    const std::int64_t run = record.beginRun(sampleRun());
    record.write(run, Event{});
    record.write(run, {sampleBucket(kNoon, 1)});
    record.write(run, snapshotAt(kNoon));
  }
  unlink((path + "-lock").c_str());
  chmod(folder.c_str(), 0555);
  if (!becomeAnother()) return kCannotBeDone;
  const std::string text = refusal([&] { Record record(path); });
  if (!has(text, "Permission denied")) return failed("refusal: " + text);
  const RecordReader reader(path);
  if (eventsIn(path).size() != 1) return failed("no event");
  if (reader.sources().size() != 1) return failed("no source");
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto open = descriptors();
  for (int i = 0; i < 5; ++i) {
    if (reader.buckets("gate", Resolution::second, 0, kEver, {"luma"}).size() != 1)
      return failed("no bucket");
    if (reader.snapshots("gate", 0, kEver).size() != 1) return failed("no snapshot");
  }
  return descriptors() == open ? 0 : failed("files stay open");
}

// Takes the right to write a record away while it is written: that is told, and nothing is lost.
int forbidden(const std::string& folder) {
  if (!becomeAnother()) return kCannotBeDone;
  const std::string path = folder + "/a.sqlite";
  Record record(path, {.commitEveryMs = 5, .lookEveryMs = 20});
  const std::int64_t run = record.beginRun(sampleRun());
  writeSeconds(record, run, 1);
  if (!record.flush(kDiskMs)) return failed("not written");
  for (const mode_t mode : {0444, 0000}) {
    chmod(path.c_str(), mode);
    if (!test::eventually(
            [&] { return has(record.status().fault, "may no longer be read and written"); }))
      return failed("not told: " + record.status().fault);
    record.write(run, {sampleBucket(kNoon + 1000 + mode, 1)});
    chmod(path.c_str(), 0644);
    if (!test::eventually([&] { return record.status().fault.empty(); })) return failed("a fault");
  }
  if (!record.flush(kDiskMs)) return failed("not written");
  return countIn(path) == 3 && record.status().lost == 0 ? 0 : failed("lost");
}

}  // namespace
}  // namespace mpm::monitor

int main(int count, char** words) {
  using namespace mpm::monitor;
  if (count < 3) return 2;
  const std::string what = words[1], where = words[2];
  try {
    if (what == "write" && count == 4) return write(where, std::atoll(words[3]));
    if (what == "hold") return hold(where);
    if (what == "full") return full(where);
    if (what == "readonly") return readOnly(where);
    if (what == "forbidden") return forbidden(where);
  } catch (const std::exception& error) {
    return failed(error.what());
  }
  return 2;
}
