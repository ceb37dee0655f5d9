// SPDX-License-Identifier: Apache-2.0
// mpm-app-bench: the app mpm-monitor against its goals. Without a display it draws offscreen; under
// X it opens windows.
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEvent>
#include <QEventLoop>
#include <QProcess>
#include <QStandardPaths>
#include <QStatusBar>
#include <QStringList>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/view_deck.h"
#include "gui/canvas/frame_view.h"
#include "models/street/street_model.h"
#include "paired.h"
#include "report.h"

namespace mpm::bench {
namespace {

// Returns the resident memory of this process.
double residentMb() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// Creates a row for a figure that has to stay below a goal.
Row below(const std::string& what, const std::string& against, double ours, double goal,
          const std::string& unit) {
  return {what, against, ours, goal, unit, ours / goal, 1};
}

// Runs the event loop.
void runFor(int ms) {
  QEventLoop loop;
  QTimer::singleShot(ms, Qt::PreciseTimer, &loop, &QEventLoop::quit);
  loop.exec();
}

bool runUntil(const std::function<bool()>& condition, int mostMs) {
  QElapsedTimer timer;
  timer.start();
  while (!condition()) {
    if (timer.elapsed() > mostMs) return false;
    runFor(20);
  }

  return true;
}

// The app's window on a source, with every dock open and a record.
class WatchedWindow : public QObject {
 public:
  // Waits for the first frame; throws std::runtime_error if none comes.
  WatchedWindow(const QString& source, bool everyFrame, const QString& model = {}) {
    gui::AppOptions options;
    options.source = source;
    options.record = folder_.filePath("record.sqlite");
    if (!model.isEmpty()) options.model = model;
    gui::Settings settings = gui::withOptions({}, options);
    settings.live.replay = everyFrame;
    window_ = std::make_unique<gui::MainWindow>(settings);
    window_->resize(1280, 800);
    // Docks in one area would become tabs, which hide all but one.
    Qt::DockWidgetArea areas[] = {Qt::LeftDockWidgetArea, Qt::BottomDockWidgetArea};
    int place = 0;
    for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) {
      if (dock->objectName() == "Classes") continue;
      window_->removeDockWidget(dock);
      window_->addDockWidget(areas[place++ % 2], dock);
      dock->show();
    }
    for (gui::FrameView* view : window_->findChildren<gui::FrameView*>()) {
      view->installEventFilter(this);
    }
    connect(&changing_, &QTimer::timeout, this, [this] {
      ++change_;
      window_->deck()->showKind(static_cast<gui::ViewKind>(change_ % gui::kViewKinds));
      if (change_ % gui::kViewKinds != 0) return;
      window_->deck()->setLayoutKind(
          static_cast<gui::DeckLayout>(change_ / gui::kViewKinds % gui::kDeckLayouts));
    });
    window_->show();
    if (!runUntil([this] { return shown_ > 0; }, kPatienceMs))
      throw std::runtime_error("the window has shown no frame in a minute: " +
                               window_->statusBar()->currentMessage().toStdString() +
                               (engine() ? engine()->fault() : ""));
  }

  gui::MainWindow& window() { return *window_; }
  std::shared_ptr<monitor::Engine> engine() { return window_->live().engine(); }
  int framesShown() const { return shown_; }  ///< painted, each once
  // Cycles through all layouts and views at this interval; 0 stops.
  void changeViewsEvery(int ms) {
    change_ = 0;
    window_->deck()->setLayoutKind(gui::DeckLayout::grid);
    ms > 0 ? changing_.start(ms) : changing_.stop();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint) {
      const auto& result = static_cast<gui::FrameView*>(watched)->result();
      if (result && result->frame.number != last_) {
        last_ = result->frame.number;
        ++shown_;
      }
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  static constexpr int kPatienceMs = 60000;

  QTemporaryDir folder_;
  std::unique_ptr<gui::MainWindow> window_;
  QTimer changing_;
  int change_ = 0, shown_ = 0;
  std::uint64_t last_ = 0;  // number of the frame that was painted last
};

// Measures from the start of a process to its first frame, in a home where it never ran.

constexpr int kStarts = 7;
constexpr double kFrameGoalMs = 2000, kWindowGoalMs = 1000;
constexpr int kStartMs = 60000;

struct Start {
  double windowMs = -1, frameMs = -1;
};

Start startOnce() {
  const QTemporaryDir home;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("HOME", home.path());
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) {
    environment.insert(name, home.filePath(name));
  }
  environment.insert("QT_LOGGING_RULES", "mpm.start.info=true");
  environment.insert("QT_FORCE_STDERR_LOGGING", "1");
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setReadChannel(QProcess::StandardError);
  QElapsedTimer timer;
  timer.start();
  process.start(MPM_APP, {});
  Start start;
  while (start.frameMs < 0 && timer.elapsed() < kStartMs && process.waitForReadyRead()) {
    while (process.canReadLine()) {
      const QByteArray line = process.readLine();
      const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
      if (line.contains("window shown")) start.windowMs = ms;
      if (line.contains("first frame shown")) start.frameMs = ms;
    }
  }
  process.kill();
  process.waitForFinished();
  if (start.frameMs < 0) throw std::runtime_error("mpm-monitor has shown no frame in a minute");
  return start;
}

void benchStart(Report& report) {
  std::vector<double> window, frame;
  for (int i = 0; i < kStarts; ++i) {
    const Start start = startOnce();
    window.push_back(start.windowMs);
    frame.push_back(start.frameMs);
  }
  report.rows.push_back(
      below("start to the window", "a second", median(window), kWindowGoalMs, "ms"));
  report.rows.push_back(below("start to the first segmented frame", "two seconds", median(frame),
                              kFrameGoalMs, "ms"));
}

// Measures the GUI thread's lateness and cost while the street model runs.

// Posts an event to the GUI's thread every 5 ms and measures its delay.
class Lateness : public QObject {
 public:
  Lateness() {
    thread_ = std::thread([this] {
      for (auto next = Clock::now(); !ended_; next += kEvery) {
        std::this_thread::sleep_until(next);
        QCoreApplication::postEvent(this, new Posted);
      }
    });
  }

  ~Lateness() override {
    ended_ = true;
    thread_.join();
  }

  const std::vector<double>& ms() const { return ms_; }

 protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::User) return QObject::event(event);
    const auto late = Clock::now() - static_cast<Posted*>(event)->at;
    ms_.push_back(std::chrono::duration<double, std::milli>(late).count());
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kEvery = std::chrono::milliseconds(5);

  struct Posted : QEvent {
    Posted() : QEvent(QEvent::User), at(Clock::now()) {}
    Clock::time_point at;
  };

  std::vector<double> ms_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

constexpr double kLateGoalMs = 50, kCostGoal = 0.08;
constexpr int kChangeEveryMs = 1000, kRounds = 5, kSettleMs = 3000, kCores = 2;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void benchLateness(Report& report, WatchedWindow& watched, int seconds) {
  watched.changeViewsEvery(kChangeEveryMs);
  std::vector<double> late;
  {
    const Lateness lateness;
    runFor(seconds * 1000);
    late = lateness.ms();
  }
  watched.changeViewsEvery(0);
  report.rows.push_back(
      below("an event's lateness, 99.9 of 100", "50 ms", quantile(late, 0.999), kLateGoalMs, "ms"));
  report.rows.push_back(
      below("an event's lateness, the largest", "50 ms", quantile(late, 1), kLateGoalMs, "ms"));
}

// Returns the time of a frame with two cores free: half of their joint processor time.
double freeFrameMs(WatchedWindow& watched, const Schedule& schedule) {
  constexpr int kWarmUp = 3, kFrames = 12;
  const auto engine = watched.engine();
  const cv::Mat picture = engine->latest()->frame.picture;
  SegmenterOptions options;
  options.read.schedule = schedule;
  options.stages = true;
  const auto network = monitor::makeNetwork(streetModel(), options);
  engine->pause(true);
  runFor(kSettleMs);
  double before = 0;
  for (int i = -kWarmUp; i < kFrames; ++i) {
    if (i == 0) before = processMs();
    network->segment(picture);
  }
  const double ms = (processMs() - before) / kFrames / kCores;
  engine->pause(false);
  return ms;
}

// Returns the processor time of Qt's own pool, which scales frames for the GUI's thread.
double qtPoolMs() {
  double ms = 0;
  std::error_code fault;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", fault)) {
    std::ifstream name(task.path() / "comm"), use(task.path() / "schedstat");
    std::string words;
    std::getline(name, words);
    double nanoseconds = 0;
    if (words.rfind("Thread (pooled", 0) == 0 && use >> nanoseconds) ms += nanoseconds / 1e6;
  }
  return ms;
}

// Measures the processor time of the GUI's thread and its helpers over painted frames. Both sides
// are processor time, so other programs count on neither.
void benchCost(Report& report, WatchedWindow& watched, int seconds, const Schedule& schedule,
               const char* what) {
  watched.window().session().setSchedule(gui::blocksText(schedule));
  runFor(kSettleMs);
  std::vector<double> costs, frames, ratios;
  for (int round = 0; round < kRounds; ++round) {
    frames.push_back(freeFrameMs(watched, schedule));
    runFor(kSettleMs / 3);
    const int before = watched.framesShown();
    const double used = threadMs() + qtPoolMs();
    runFor(seconds * 1000 / kRounds);
    const double shown = std::max(1, watched.framesShown() - before);
    costs.push_back((threadMs() + qtPoolMs() - used) / shown);
    ratios.push_back(costs.back() / frames.back());
  }
  report.rows.push_back({std::string("the GUI for a frame shown, ") + what,
                         "a frame of the net on two free cores", median(costs), median(frames),
                         "ms", median(ratios), kCostGoal});
}

void benchLive(Report& report, int seconds) {
  WatchedWindow watched(QStringLiteral("scene:?clock=600x&size=640x480"), false);
  runFor(kSettleMs);
  benchLateness(report, watched, seconds);
  benchCost(report, watched, seconds / 2, {}, "full tokens");
  benchCost(report, watched, seconds / 2, {2, 5}, "merged before 2 and 5");
}

// Runs hours of a drawn street through the whole app, each frame, as fast as possible.

constexpr double kMemoryGoalMb = 5;
constexpr double kFramesPerHour = 36000;  // of a scene: 10 a second
constexpr double kWarmUpHours = 0.5;      // by then every ring of seconds is full, each view shown
// Jobs that go by the clock and not by frames, such as a record's checkpoints and retention, have
// run several times by then.
constexpr int kWarmUpMs = 320000;
constexpr int kSamples = 64;

void benchMemory(Report& report, double hours) {
  // A network of two small blocks is enough: its frames are as large on the screen.
  WatchedWindow watched(QStringLiteral("scene:?clock=3x&hour=0&size=160x120"), true,
                        QStringLiteral(MPM_TEST_MODELS "/segmenter_mask.onnx"));
  watched.changeViewsEvery(250);
  const auto framesAfter = [&](double hour) {
    return runUntil(
        [&] { return static_cast<double>(watched.engine()->frames()) >= hour * kFramesPerHour; },
        3600000);
  };
  QElapsedTimer began;
  began.start();
  framesAfter(kWarmUpHours);
  runUntil([&] { return began.elapsed() >= kWarmUpMs; }, 2 * kWarmUpMs);
  const double warmUp = static_cast<double>(watched.engine()->frames()) / kFramesPerHour;
  const int shownBefore = watched.framesShown();
  const double first = residentMb();
  double most = first, last = first;
  for (int i = 1; i <= kSamples; ++i) {
    framesAfter(warmUp + hours * i / kSamples);
    last = residentMb();
    most = std::max(most, last);
    if (i % 8 == 0) {
      std::printf("after %5.2f hours: %.1f MB\n", warmUp + hours * i / kSamples, last);
      std::fflush(stdout);
    }
  }
  std::printf("%llu frames, %d of them shown, views and layouts in turn\n\n",
              static_cast<unsigned long long>(watched.engine()->frames()),
              watched.framesShown() - shownBefore);
  char what[96];
  std::snprintf(what, sizeof what, "memory after %.3g hours of frames, beside %.3g", warmUp + hours,
                warmUp);
  report.rows.push_back(below(what, "5 MB", last - first, kMemoryGoalMb, "MB"));
  report.rows.push_back(below("the most in between", "5 MB", most - first, kMemoryGoalMb, "MB"));
}

// Keeps switching models and sources, and measures the memory that remains.

constexpr double kSwitchGoalMb = 50;
constexpr int kSwitchSettleMs = 5000, kLookMs = 300, kMostMs = 60000, kReports = 8;

// Waits until the old one is gone and the new one has shown something.
void switchTo(WatchedWindow& watched, const std::function<void(gui::Session&)>& choose) {
  const std::weak_ptr<monitor::Engine> old = watched.engine();
  choose(watched.window().session());
  if (!runUntil(
          [&] {
            const auto engine = watched.engine();
            return old.expired() && engine && engine->latest();
          },
          kMostMs))
    throw std::runtime_error("nothing was seen in a minute after a switch");
}

void benchSwitching(Report& report, double minutes) {
  const QString street = QString::fromStdString(streetModel());
  const QStringList models{street, QStringLiteral(MPM_TEST_MODELS "/segmenter_mask.onnx"), street,
                           QStringLiteral(MPM_TEST_MODELS "/upernet.onnx"),
                           QStringLiteral(MPM_TEST_MODELS "/refused_cnn.onnx")};
  const QStringList sources{QStringLiteral("scene:?clock=600x&size=640x480"),
                            QStringLiteral("scene:?clock=600x&size=1280x720&seed=2"),
                            QStringLiteral("scene:?clock=600x&size=320x240&seed=3")};
  WatchedWindow watched(sources[0], false);
  watched.changeViewsEvery(1000);
  runFor(kSwitchSettleMs);
  const double first = residentMb();
  double most = first;
  std::printf("at the start: %.1f MB\n", first);
  std::fflush(stdout);
  QElapsedTimer since;
  since.start();
  int switches = 0, reports = 0;
  const auto share = [&] { return static_cast<double>(since.elapsed()) / (minutes * 60'000); };
  while (share() < 1) {
    ++switches;
    switchTo(watched, [&](gui::Session& watch) {
      switches % 2 == 0 ? watch.openModel(models[switches / 2 % models.size()])
                        : watch.openSource(sources[switches / 2 % sources.size()]);
    });
    runFor(kLookMs);
    most = std::max(most, residentMb());
    if (share() * kReports < reports + 1) continue;
    ++reports;
    std::printf("after %4d switches: %.1f MB\n", switches, residentMb());
    std::fflush(stdout);
  }
  // Ends as it began, so that models and frames of other sizes count on neither side.
  if (watched.window().live().model() != street)
    switchTo(watched, [&](gui::Session& watch) { watch.openModel(street); });
  switchTo(watched, [&](gui::Session& watch) { watch.openSource(sources[0]); });
  runFor(kSwitchSettleMs);
  char what[96];
  std::snprintf(what, sizeof what, "memory after %d switches of model or source in %.3g minutes",
                switches, minutes);
  report.rows.push_back(
      below(what, "50 MB above the start", residentMb() - first, kSwitchGoalMb, "MB"));
  report.rows.push_back(
      below("the most in between", "50 MB above the start", most - first, kSwitchGoalMb, "MB"));
}

void bench(Report& report, const QCommandLineParser& parser) {
  const QStringList parts = parser.value("only").split(',');
  const int seconds = std::max(1, parser.value("seconds").toInt());
  if (parts.contains("start")) benchStart(report);
  if (parts.contains("live")) benchLive(report, seconds);
  if (parts.contains("switching")) benchSwitching(report, parser.value("minutes").toDouble());
  if (parts.contains("memory")) benchMemory(report, parser.value("hours").toDouble());
}

}  // namespace
}  // namespace mpm::bench

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY") &&
      !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  QApplication app(argc, argv);
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName("mpm-bench");
  QApplication::setApplicationName("mpm-app-bench");
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  QCommandLineParser parser;
  parser.setApplicationDescription("Measures mpm-monitor against its goals.");
  parser.addHelpOption();
  parser.addOption({"only", "What to measure.", "PARTS", "start,live,switching,memory"});
  parser.addOption({"seconds", "How long the live parts run.", "N", "60"});
  parser.addOption(
      {"minutes", "For how long another model or source is chosen, again and again.", "N", "3"});
  parser.addOption({"hours", "How many hours of frames memory is watched for.", "N", "8"});
  parser.process(app);
  try {
    mpm::bench::Report report;
    report.kernels = "the app's, platform " + QApplication::platformName().toStdString();
    report.threads = cv::getNumThreads();
    mpm::bench::bench(report, parser);
    std::fputs(tableText(report).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpm-app-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
