// SPDX-License-Identifier: Apache-2.0
// mpm-monitor-bench [--seconds N]: what watching costs beside the net and the camera, as processor
// time.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/scenes/camera.h"
#include "models/scenes/classes.h"
#include "monitor/engine/network.h"
#include "monitor/rules/rules.h"
#include "monitor/service/session.h"
#include "monitor/source/readers.h"
#include "paired.h"
#include "report.h"

namespace {

using namespace mpm::bench;
using namespace mpm::monitor;

constexpr double kFrameMs = 100, kGoal = 0.015;
constexpr int kPictures = 40, kGrid = 32, kEveryMs = 100;
constexpr double kOneOClock = 13 * 3600;
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

void add(Report& report, const std::string& what, double ms, const char* against, double theirs) {
  report.rows.push_back({what, against, ms, theirs, "ms", ms / theirs});
}

// Some seconds of a drawn street with labels, drawn before anything is timed.
struct Street {
  explicit Street(cv::Size size);
  std::vector<cv::Mat> pictures;
  std::vector<mpm::Segmentation> found;  // what a net would say, with two merges
  std::vector<std::string> classes;
};

std::int64_t nowMs() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

mpm::Segmentation foundIn(const cv::Mat& labels) {
  mpm::Segmentation found;
  found.labels = labels;
  found.confidence = cv::Mat(labels.size(), CV_32F, cv::Scalar(0.9));
  found.mergeMap = cv::Mat::zeros(kGrid, kGrid, CV_32S);
  found.rows = {1025, 771, 610};
  found.stages.resize(2);
  return found;
}

Street::Street(cv::Size size) {
  mpm::scenes::CameraOptions options;
  options.size = size;
  mpm::scenes::Camera camera(options);
  for (int i = 0; i < kPictures; ++i) {
    cv::Mat picture, labels;
    camera.shoot(kOneOClock + 0.1 * i, picture, labels);
    pictures.push_back(picture.clone());
    found.push_back(foundIn(labels.clone()));
  }
  for (const mpm::scenes::ClassFacts& facts : mpm::scenes::kClassFacts)
    classes.emplace_back(facts.name);
}

// Returns three zones, and rules on them and on the whole frame; one rule keeps clips.
RuleBook streetRules() {
  return parseRules(R"(
[[zone]]
name = "left"
corners = [[0.0, 0.5], [0.4, 0.5], [0.3, 1.0], [0.0, 1.0]]
[[zone]]
name = "middle"
corners = [[0.3, 0.5], [0.7, 0.5], [0.9, 1.0], [0.2, 1.0]]
[[zone]]
name = "right"
corners = [[0.6, 0.5], [1.0, 0.5], [1.0, 1.0], [0.8, 1.0]]
[[rule]]
name = "a car on the left"
metric = "zone.left.area.car"
above = 0.2
dwell_s = 1
clip = true
[[rule]]
name = "busy"
metric = "area.person"
above = 0.01
hysteresis = 0.005
[[rule]]
name = "unsure"
metric = "confidence"
below = 0.5
[[rule]]
name = "night"
light = ["night", "infrared"]
[[rule]]
name = "lost"
stale = true
dwell_s = 60
)",
                    "the benchmark's rules");
}

// A camera of ten frames a second that repeats the street.
class StreetReader : public Reader {
 public:
  StreetReader(const Street& street, std::atomic<double>& cpuMs) : street_(street), cpuMs_(cpuMs) {}
  bool open() override {
    firstMs_ = nowMs();
    return true;
  }
  ReadStatus read(Shot& shot) override {
    const double before = threadMs();
    const std::int64_t leftMs = firstMs_ + next_ * kEveryMs - nowMs();
    std::this_thread::sleep_for(std::chrono::milliseconds(leftMs));
    const auto place = static_cast<std::size_t>(next_) % street_.pictures.size();
    shot.picture = street_.pictures[place].clone();
    ++next_;
    cpuMs_ = cpuMs_ + threadMs() - before;
    return ReadStatus::frame;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return true; }

 private:
  const Street& street_;
  std::atomic<double>& cpuMs_;  // that its reads took
  std::int64_t next_ = 0, firstMs_ = 0;
  std::string fault_;
};

// A net without cost, which knows the street's labels.
class StreetNetwork : public Network {
 public:
  explicit StreetNetwork(const Street& street) : street_(street) {}
  mpm::Segmentation segment(const cv::Mat& /*picture*/) override {
    return street_.found[next_++ % street_.found.size()];
  }
  mpm::Segmentation segmentFull(const cv::Mat& picture) override { return segment(picture); }
  std::vector<std::string> classes() const override { return street_.classes; }
  std::vector<cv::Vec3b> palette() const override { return mpm::scenes::classColours(); }
  mpm::Schedule schedule() override { return {2, 5}; }
  void setSchedule(const mpm::Schedule& /*blocks*/) override {}
  int blocks() const override { return 12; }
  std::string reason() const override { return {}; }
  int specialRows() const override { return 1; }
  cv::Size input() const override { return {64, 64}; }
  std::unique_ptr<Memory> makeMemory() override { return nullptr; }
  std::string memoryFault() const override { return "it remembers the street anyway"; }

 private:
  const Street& street_;
  std::size_t next_ = 0;
};

// Requests a page and reads it to its end.
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

// Prepares a camera with light and rules with zones as in `mpm watch`, with a net without cost.
PreparedCamera cameraOf(const Street& street, std::atomic<double>& cameraMs) {
  const auto loaded = std::make_shared<LoadedNetwork>();
  loaded->options.model = "street.onnx";
  loaded->network = std::make_shared<StreetNetwork>(street);
  loaded->schedule = loaded->network->schedule();
  loaded->hash = "0";
  EngineOptions engine;
  engine.source.name = "street";
  engine.source.address.text = engine.source.address.shown = "drawn";
  engine.source.book = streetRules();
  engine.makeReader = [&](const NamedSource&) {
    return std::make_unique<StreetReader>(street, cameraMs);
  };
  return prepareCamera(std::move(engine), loaded);
}

double childrenMs() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// Returns the time to read so many frames at a camera's pace, here and in a reader process.
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

// Returns the extra time per second that a camera in a separate process costs.
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
  // A run of one frame is subtracted, as it contains only the cost of starting.
  const double separate = readingMs(makeSeparateReader(program, address, options), frames + 1) -
                          readingMs(makeSeparateReader(program, address, options), 1);
  const double here = readingMs(makeReader(address, options), frames + 1) -
                      readingMs(makeReader(address, options), 1);
  const double more = (separate - here) / seconds;
  add(report, "reading the camera in a process of its own, more than here", more, "a core's second",
      1000);
  return more;
}

// Measures the time per second of everything but the camera, with a client of /metrics, and of the
// camera.
void benchWhole(Report& report, const Street& street, int seconds, const Folder& folder,
                double separateMs) {
  using Clock = std::chrono::steady_clock;
  std::atomic<double> cameraMs{0};
  SessionOptions options;
  options.record = folder.at("street.sqlite");
  options.http.emplace().port = 0;
  const Session session(options, {cameraOf(street, cameraMs)});
  const std::shared_ptr<Engine> engine = session.engine("street");
  std::this_thread::sleep_for(std::chrono::seconds(2));  // what only a beginning costs
  const auto begun = Clock::now();
  const double allBefore = processMs(), cameraBefore = cameraMs, askerBefore = threadMs();
  const std::uint64_t framesBefore = engine->frames();
  for (int asked = 1; asked <= seconds; ++asked) {
    ask(session.httpPort(), "/metrics");
    std::this_thread::sleep_until(begun + std::chrono::seconds(asked));
  }
  const double gone = std::chrono::duration<double>(Clock::now() - begun).count();
  const double camera = (cameraMs - cameraBefore) / gone;
  const double ours = (processMs() - allBefore - (threadMs() - askerBefore)) / gone - camera;
  const auto frames = static_cast<double>(engine->frames() - framesBefore);
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
    const double separateMs = benchSeparate(report, street, seconds, folder);
    benchWhole(report, street, seconds, folder, separateMs);
  };
  return runBenchmark(
      argc, argv,
      {"mpm-monitor-bench", "Times what a monitor does beside its net.", "--seconds", 20}, measure);
}
