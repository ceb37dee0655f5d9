// SPDX-License-Identifier: Apache-2.0
// mpm watch: watches sources without a window for an unlimited time.
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/watch_options.h"
#include "cli/watch_report.h"
#include "cli/wording.h"
#include "monitor/service/system_notice.h"

namespace mpm::cli {
namespace {

using std::chrono::milliseconds;

volatile std::sig_atomic_t endAsked = 0, reloadAsked = 0;

void catchSignals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { (signal == SIGHUP ? reloadAsked : endAsked) = 1; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::size_t terminalWidth() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 0;
}

// Publishes the state once a second.
class Ticker {
 public:
  Ticker(monitor::Session& session, WatchLog& log, monitor::SystemNotice& notice)
      : session_(session), log_(log), notice_(notice) {}

  void tick() {
    session_.publish();
    log_.showStatus(statusLine(*session_.engine(), terminalWidth()));
    notice_.status(statusLine(*session_.engine(), 0));
    const std::string record = session_.recordFault(), mqtt = session_.mqttFault();
    if (record != recordFault_) log_.sayOfRecord(record);
    if (mqtt != mqttFault_) log_.say(mqtt.empty() ? "the MQTT broker is reachable again" : mqtt);
    recordFault_ = record;
    mqttFault_ = mqtt;
  }

  void beat() {
    const std::int64_t now = monitor::systemClock().now().steadyMs;
    const std::int64_t every = notice_.aliveEveryMs();
    // Reports on the engine's thread to the watchdog, not on this one.
    if (every == 0 || now - toldAliveMs_ < every / 2) return;
    if (now - session_.engine()->turnedMs() >= every) return;
    notice_.alive();
    toldAliveMs_ = now;
  }

 private:
  monitor::Session& session_;
  WatchLog& log_;
  monitor::SystemNotice& notice_;
  std::string recordFault_, mqttFault_;
  std::int64_t toldAliveMs_ = 0;
};

// Tells the watchdog that the engine is alive while this thread reads another model, which may take
// longer than the watchdog waits. It keeps no engine: the next one begins when this one has ended.
class Heartbeat {
 public:
  Heartbeat(const std::weak_ptr<monitor::Engine>& engine, monitor::SystemNotice& notice)
      : engine_(engine), notice_(notice) {
    if (notice.aliveEveryMs() > 0) thread_ = std::thread([this] { run(); });
  }
  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      isOver_ = true;
    }
    over_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void run() {
    const milliseconds every(notice_.aliveEveryMs());
    std::int64_t turnedMs = 0;
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, every / 2, [this] { return isOver_; })) {
      if (const auto engine = engine_.lock()) turnedMs = engine->turnedMs();
      if (monitor::systemClock().now().steadyMs - turnedMs < every.count()) notice_.alive();
    }
  }

  std::weak_ptr<monitor::Engine> engine_;
  monitor::SystemNotice& notice_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool isOver_ = false;
  std::thread thread_;
};

// Reports the precision that was chosen when the engine began, if any was.
void sayPrecision(const monitor::Session& session, WatchLog& log) {
  if (session.chosenFrom()) log.say(precisionText(session.precision(), *session.chosenFrom()));
}

void sayUnkept(const WatchPlan& plan, const std::vector<monitor::RuleBook>& books, WatchLog& log) {
  if (!plan.session.record.empty()) return;
  for (const std::string& sentence : unkeptOf(plan.session.engine.sources, books)) {
    log.say(sentence);
  }
}

void reload(const WatchPlan& plan, monitor::Session& session, WatchLog& log,
            monitor::SystemNotice& notice) {
  notice.reloading();
  try {
    const std::vector<monitor::RuleBook> books = plan.rules.read(plan.session.engine.sources);
    const bool beganAnew = [&] {
      const Heartbeat heartbeat(session.engine(), notice);
      return session.setBooks(books);
    }();
    log.say(beganAnew ? "rules and zones were read again; with other zones or another model "
                        "figures start over"
                      : "rules and zones were read again; figures continue");
    if (beganAnew) sayPrecision(session, log);
    sayUnkept(plan, books, log);
  } catch (const std::exception& fault) {
    if (!session.engine()) throw;
    log.say(std::string(fault.what()) + "; keeping the rules as they were");
  }
  notice.ready();
}

constexpr std::int64_t kLastWritesMs = 5000;

// Writes what waits for the record after everything else; the service allows 30 s for everything.
void endRecord(monitor::Session& session) {
  const auto ended = session.endRecord(kLastWritesMs);
  if (!ended || ended->waiting == 0) return;
  throw std::runtime_error(
      "the record lacks the last " + countText(ended->waiting, "row") + " (" +
      countText(ended->waitingSeconds, "second") +
      " of figures), which could not be written at the end and are lost: " + ended->fault);
}

// Fails a replay that did not see all of a source, whatever it saw of others.
void checkReplayed(const monitor::Engine& engine) {
  for (std::size_t i = 0; engine.done() && i < engine.sources(); ++i) {
    const monitor::CaptureStatus capture = engine.capture(i);
    const std::string& name = engine.source(i).name;
    if (engine.frames(i) == 0) {
      const std::string fault = engine.fault(i).empty() ? capture.fault : engine.fault(i);
      throw std::runtime_error("no frame of " + name + " was labelled" +
                               (fault.empty() ? "" : ": " + fault));
    }
    if (capture.isCutShort) {
      throw std::runtime_error("the replay of " + name + " ended early: " + capture.fault);
    }
  }
}

// Limits arenas. Each thread that allocates may get one, and each keeps a few pictures' worth of
// freed memory: 26 MB more after 20 reconnects on two processors, and more on more.
void keepArenasFew() { mallopt(M_ARENA_MAX, 2); }

void sayMore(const WatchPlan& plan, const monitor::Session& session, WatchLog& log) {
  const std::string& memoryFault = session.engine()->memoryFault();
  if (plan.session.engine.memory && !memoryFault.empty()) {
    log.say("there is no scene memory: " + memoryFault);
  }
  if (const int pictures = plan.session.pictures.perHour;
      !plan.session.record.empty() && pictures > 0) {
    log.say("the record keeps " + std::to_string(pictures) +
            " pictures an hour of each source, which anyone who may read it can see; --pictures 0 "
            "keeps none");
  }
  if (session.httpPort() > 0) {
    const std::string& address = plan.session.http->address;
    const bool isIpv6 = address.find(':') != std::string::npos;
    log.say("metrics and pictures at http://" + (isIpv6 ? "[" + address + "]" : address) + ":" +
            std::to_string(session.httpPort()) + "/");
  }
}

// Runs until a signal, the end of all files, or the requested time.
void goOn(const WatchPlan& plan, monitor::Session& session, WatchLog& log,
          monitor::SystemNotice& notice) {
  Ticker ticker(session, log, notice);
  const auto begun = std::chrono::steady_clock::now();
  for (int turn = 0; endAsked == 0 && !session.engine()->done(); ++turn) {
    if (reloadAsked != 0) {
      reloadAsked = 0;
      reload(plan, session, log, notice);
    }
    if (turn % 10 == 0) ticker.tick();
    ticker.beat();
    std::this_thread::sleep_for(milliseconds(100));
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begun;
    if (plan.seconds > 0 && gone.count() >= plan.seconds) break;
  }
}

void watch(const WatchPlan& plan) {
  keepArenasFew();
  std::vector<std::string> names;
  for (const auto& source : plan.session.engine.sources) names.push_back(source.name);
  monitor::SystemNotice notice;
  WatchLog log(names, std::cerr, isatty(STDERR_FILENO) != 0);
  catchSignals();
  for (const std::string& warning : plan.warnings) log.say(warning);
  monitor::SessionOptions options = plan.session;
  const std::vector<monitor::RuleBook> books = plan.rules.read(options.engine.sources);
  for (std::size_t i = 0; i < books.size(); ++i) options.engine.sources[i].book = books[i];
  monitor::Session session(monitor::prepare(std::move(options)), {&log});
  sayPrecision(session, log);
  sayUnkept(plan, books, log);
  sayMore(plan, session, log);
  notice.ready();
  goOn(plan, session, log, notice);
  notice.stopping();
  session.stop();
  log.showStatus("");
  std::cout << (plan.json ? summaryJson(*session.engine()) : summaryTable(*session.engine()))
            << std::flush;
  endRecord(session);
  if (plan.session.engine.capture.everyFrame && endAsked == 0) checkReplayed(*session.engine());
}

}  // namespace

void addWatch(CLI::App& app) {
  CLI::App* command = app.add_subcommand("watch", "watch sources until stopped");
  const auto arguments = std::make_shared<WatchArguments>();
  arguments->addTo(*command);
  command->footer(
      "Runs until SIGTERM, SIGINT, or the end of all files; then prints a summary by light\n"
      "state. Cameras that fail are retried forever.\n"
      "Example: mpm watch gate=/dev/v4l/by-id/usb-cam --record gate.sqlite --http 9120");
  command->callback([arguments] {
    arguments->useThreads();
    watch(arguments->plan());
  });
}

}  // namespace mpm::cli
