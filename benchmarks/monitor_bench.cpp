// SPDX-License-Identifier: Apache-2.0
// mpm-monitor-bench [--seconds N] [--json FILE]: what watching costs beside the net and the camera,
// whole and in parts, as processor time.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "monitor/engine/frame_metrics.h"
#include "monitor/light/light_meter.h"
#include "monitor/record/record.h"
#include "monitor/service/session.h"
#include "monitor/source/separate_reader.h"
#include "monitor/statistics/statistics.h"
#include "monitor_street.h"
#include "paired.h"
#include "processor_time.h"
#include "report.h"

namespace {

using namespace mpm::bench;
using namespace mpm::monitor;

constexpr double kFrameMs = 100, kGoal = 0.015;
const cv::Size kSize{640, 480};

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mpm-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string at(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Median CPU time of a call, in ms.
template <class Call>
double cpuMs(int calls, const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const double before = processMs();
    call(static_cast<std::size_t>(i));
    times.push_back(processMs() - before);
  }
  return median(times);
}

void add(Report& report, const std::string& what, double ms, const char* against, double theirs) {
  report.rows.push_back({what, against, ms, theirs, "ms", ms / theirs});
}

Moment at(std::size_t frame) {
  Moment moment;
  moment.steadyMs = static_cast<std::int64_t>(frame) * 100;
  moment.utcMs = 1750000000000 + moment.steadyMs;
  return moment;
}

void benchParts(Report& report, const Street& street, const Folder& folder) {
  const RuleBook book = streetRules();
  LightMeter meter;
  FrameMetrics metrics(street.classes, book, 3, 1, true, true);
  Statistics statistics(metrics.metrics());
  Rules rules(book.rules, metrics.metrics());
  const std::size_t count = street.pictures.size();
  std::vector<FrameResult> results(count);
  std::vector<Figures> figures(count);
  const char* frame = "a frame's time at 10 a second";
  add(report, "light",
      cpuMs(400,
            [&](std::size_t i) {
              results[i % count].light = meter.update(street.pictures[i % count], at(i));
            }),
      frame, kFrameMs);
  add(report,
      cv::format("areas of %d classes, whole and in %d zones", int(street.classes.size()),
                 int(book.zones.size())),
      cpuMs(400,
            [&](std::size_t i) {
              FrameResult& result = results[i % count];
              result.frame.picture = street.pictures[i % count];
              result.frame.taken = at(i);
              result.segmentation = street.found[i % count];
              figures[i % count] = metrics.measure(result, {});
            }),
      frame, kFrameMs);
  const auto next = [&](std::size_t i) -> const Figures& {
    figures[i % count].taken = at(i);
    return figures[i % count];
  };
  add(report, cv::format("statistics of %d metrics", int(metrics.metrics().size())),
      cpuMs(4000, [&](std::size_t i) { statistics.add(next(i)); }), frame, kFrameMs);
  add(report, cv::format("%d rules", int(book.rules.size())),
      cpuMs(4000, [&](std::size_t i) { rules.update(next(i)); }), frame, kFrameMs);

  RecordOptions options;
  options.commitEveryMs = 1;
  Record record(folder.at("parts.sqlite"), options);
  RunFacts facts;
  facts.source = "street";
  facts.settings = "{}";
  facts.metrics = metrics.metrics().names();
  const std::int64_t run = record.beginRun(facts);
  statistics.series().takeChanged();
  std::size_t number = 4000;
  add(report, cv::format("record of %d metrics, each second", int(metrics.metrics().size())),
      cpuMs(100,
            [&](std::size_t) {
              for (int i = 0; i < 10; ++i) statistics.add(next(number++));
              record.write(run, statistics.series().takeChanged());
              if (!record.flush(10000)) throw std::runtime_error("the record cannot be written");
            }),
      "a second", 1000);
}

// Asks for a page and reads it to its end.
void ask(int port, const std::string& path) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  bool isAnswered = false;
  const std::string question =
      "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      send(file, question.data(), question.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 65536> part;
    while (recv(file, part.data(), part.size(), 0) > 0) isAnswered = true;
  }
  close(file);
  if (!isAnswered) throw std::runtime_error("the monitor's HTTP server does not answer");
}

// Camera, light, rules with zones, record and HTTP as in `mpm watch`, with a net that costs
// nothing.
PreparedSession preparedFor(const Street& street, std::atomic<double>& cameraMs,
                            const Folder& folder) {
  PreparedSession prepared;
  SessionOptions& options = prepared.options;
  options.model = "street.onnx";
  options.record = folder.at("street.sqlite");
  options.http.emplace().port = 0;
  NamedSource source;
  source.name = "street";
  source.address.text = source.address.shown = "drawn";
  source.book = streetRules();
  options.engine.sources = {source};
  options.engine.makeReader = [&](const NamedSource&) {
    return std::make_unique<StreetReader>(street, cameraMs);
  };
  prepared.network = std::make_unique<StreetNetwork>(street);
  prepared.modelHash = "0";
  return prepared;
}

double childrenMs() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// What reading so many frames takes at a camera's pace, here and in a process of the reader.
double readingMs(std::unique_ptr<Reader> reader, int frames) {
  const double before = threadMs() + childrenMs();
  if (!reader->open()) throw std::runtime_error(reader->fault());
  auto due = std::chrono::steady_clock::now();
  for (int i = 0; i < frames; ++i) {
    std::this_thread::sleep_until(due);
    due += std::chrono::milliseconds(static_cast<int>(kFrameMs));
    Shot shot;
    if (reader->read(shot) != ReadStatus::frame) throw std::runtime_error(reader->fault());
  }
  reader.reset();  // children count when they have ended
  return threadMs() + childrenMs() - before;
}

// Of a second: what it takes more that a camera is read in a process of its own.
double benchSeparate(Report& report, const Street& street, int seconds, const Folder& folder) {
  const std::string path = folder.at("picture.ppm");
  const cv::Mat& picture = street.pictures.front();
  std::ofstream(path, std::ios::binary)
      << "P6\n"
      << picture.cols << ' ' << picture.rows << "\n255\n"
      << std::string(picture.ptr<char>(), picture.total() * picture.elemSize());
  const SourceAddress address = parseSourceAddress(path);
  ReaderOptions options;
  options.loop = true;
  const std::string program = readerProgram();
  const int frames = seconds * 10;
  // Of each a run of one frame is what only a beginning costs.
  const double separate = readingMs(makeSeparateReader(program, address, options), frames + 1) -
                          readingMs(makeSeparateReader(program, address, options), 1);
  const double here = readingMs(makeReader(address, options), frames + 1) -
                      readingMs(makeReader(address, options), 1);
  const double more = (separate - here) / seconds;
  add(report, "reading the camera in a process of its own, more than here", more, "a core's second",
      1000);
  return more;
}

// Of a second: what all of it takes but the camera, and who asks for /metrics; what the camera
// does.
void benchWhole(Report& report, const Street& street, int seconds, const Folder& folder,
                double separateMs) {
  using Clock = std::chrono::steady_clock;
  std::atomic<double> cameraMs{0};
  const Session session(preparedFor(street, cameraMs, folder));
  std::this_thread::sleep_for(std::chrono::seconds(2));  // what only a beginning costs
  const auto begun = Clock::now();
  const double allBefore = processMs(), cameraBefore = cameraMs, askerBefore = threadMs();
  const std::uint64_t framesBefore = session.engine()->frames(0);
  for (int asked = 1; asked <= seconds; ++asked) {
    ask(session.httpPort(), "/metrics");
    std::this_thread::sleep_until(begun + std::chrono::seconds(asked));
  }
  const double gone = std::chrono::duration<double>(Clock::now() - begun).count();
  const double camera = (cameraMs - cameraBefore) / gone;
  const double ours = (processMs() - allBefore - (threadMs() - askerBefore)) / gone - camera;
  const auto frames = static_cast<double>(session.engine()->frames(0) - framesBefore);
  if (!session.recordFault().empty()) throw std::runtime_error(session.recordFault());
  report.rows.push_back(
      {cv::format("all of it, %.1f frames a second for %.0f s, with record, zones, rules, HTTP",
                  frames / gone, gone),
       "a core's second", ours, 1000, "ms", ours / 1000});
  const double both = ours + separateMs;
  report.rows.push_back({"both together", "a core's second", both, 1000, "ms", both / 1000, kGoal});
  add(report, "the camera beside it (copies of frames)", camera, "a core's second", 1000);
}

}  // namespace

int main(int argc, char** argv) {
  const auto measure = [](Report& report, int seconds) {
    const Folder folder;
    report.threads = cv::getNumThreads();
    const Street street(kSize);
    benchParts(report, street, folder);
    const double separateMs = benchSeparate(report, street, seconds, folder);
    benchWhole(report, street, seconds, folder, separateMs);
  };
  return runBenchmark(
      argc, argv,
      {"mpm-monitor-bench", "Times what a monitor does beside its net.", "--seconds", 20}, measure);
}
