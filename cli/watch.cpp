// SPDX-License-Identifier: Apache-2.0
// mpm watch: watches sources without a window for an unlimited time.
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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
#include <utility>
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

bool areDone(const monitor::Engines& engines) {
  return std::all_of(engines.begin(), engines.end(),
                     [](const auto& engine) { return engine->done(); });
}

// Publishes the state once a second.
class Ticker {
 public:
  Ticker(monitor::Session& session, WatchLog& log, monitor::SystemNotice& notice)
      : session_(session), log_(log), notice_(notice) {}

  void tick() {
    session_.publish();
    const auto engines = session_.engines();
    log_.showStatus(statusLine(engines, terminalWidth()));
    notice_.status(statusLine(engines, 0));
    const std::string record = session_.recordFault(), mqtt = session_.mqttFault();
    if (record != recordFault_) log_.sayOfRecord(record);
    if (mqtt != mqttFault_) log_.say(mqtt.empty() ? "the MQTT broker is reachable again" : mqtt);
    recordFault_ = record;
    mqttFault_ = mqtt;
  }

 private:
  monitor::Session& session_;
  WatchLog& log_;
  monitor::SystemNotice& notice_;
  std::string recordFault_, mqttFault_;
};

// Tells the watchdog that the engines are alive, from a thread of its own: reading another model
// may take longer than the watchdog waits.
class Heartbeat {
 public:
  Heartbeat(monitor::Session& session, monitor::SystemNotice& notice) {
    if (notice.aliveEveryMs() == 0) return;
    thread_ = std::jthread([&session, &notice](const std::stop_token& stop) {
      const std::int64_t everyMs = notice.aliveEveryMs();
      std::mutex mutex;
      std::condition_variable_any over;
      std::unique_lock lock(mutex);
      do {
        if (session.state().netStillMs < everyMs) notice.alive();
      } while (!over.wait_for(lock, stop, milliseconds(everyMs / 2),
                              [&stop] { return stop.stop_requested(); }));
    });
  }

 private:
  std::jthread thread_;
};

// Reports the precision that was chosen when the model was loaded, if any was.
void sayPrecision(const monitor::LoadedNetwork& loaded, WatchLog& log) {
  if (!loaded.options.choosePrecision) return;
  log.say(precisionText(loaded.options.segmenter.read.precision, loaded.precisions));
}

void sayUnkept(const WatchPlan& plan, const std::vector<monitor::RuleBook>& books, WatchLog& log) {
  if (!plan.session.record.empty()) return;
  for (const std::string& sentence : unkeptOf(plan.cameras, books)) {
    log.say(sentence);
  }
}

void reload(const WatchPlan& plan, monitor::Session& session, WatchLog& log,
            monitor::SystemNotice& notice) {
  notice.reloading();
  try {
    const std::vector<monitor::RuleBook> books = plan.rules.read(plan.cameras);
    const auto before = session.prepared(plan.cameras[0].source.name).loaded;
    const bool beganAnew = session.setBooks(books);
    log.say(beganAnew ? "rules and zones were read again; with other zones or another model "
                        "figures start over"
                      : "rules and zones were read again; figures continue");
    const auto loaded = session.prepared(plan.cameras[0].source.name).loaded;
    if (loaded != before) sayPrecision(*loaded, log);
    sayUnkept(plan, books, log);
  } catch (const std::exception& fault) {
    const auto engines = session.engines();
    if (std::count(engines.begin(), engines.end(), nullptr) > 0) throw;
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
  if (!engine.done()) return;
  const monitor::CaptureStatus capture = engine.capture();
  const std::string& name = engine.source().name;
  if (engine.frames() == 0) {
    const std::string fault = engine.fault().empty() ? capture.fault : engine.fault();
    throw std::runtime_error("no frame of " + name + " was labelled" +
                             (fault.empty() ? "" : ": " + fault));
  }
  if (capture.isCutShort) {
    throw std::runtime_error("the replay of " + name + " ended early: " + capture.fault);
  }
}

// Limits arenas. Each thread that allocates may get one, and each keeps a few pictures' worth of
// freed memory: 26 MB more after 20 reconnects on two processors, and more on more.
void keepArenasFew() { mallopt(M_ARENA_MAX, 2); }

void sayMore(const WatchPlan& plan, const monitor::Session& session, WatchLog& log) {
  const std::string& memoryFault = session.engines()[0]->memoryFault();
  if (plan.cameras[0].memory && !memoryFault.empty()) {
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
  const Heartbeat heartbeat(session, notice);
  const auto begun = std::chrono::steady_clock::now();
  for (int turn = 0; endAsked == 0 && !areDone(session.engines()); ++turn) {
    if (reloadAsked != 0) {
      reloadAsked = 0;
      reload(plan, session, log, notice);
    }
    if (turn % 10 == 0) ticker.tick();
    std::this_thread::sleep_for(milliseconds(100));
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begun;
    if (plan.seconds > 0 && gone.count() >= plan.seconds) break;
  }
}

// Keeps no model of its own: one that is replaced leaves the memory.
std::vector<monitor::PreparedCamera> preparedCameras(const WatchPlan& plan,
                                                     const std::vector<monitor::RuleBook>& books) {
  const auto loaded =
      monitor::loadNetwork(plan.network, [&] { return monitor::firstPictures(plan.cameras); });
  std::vector<monitor::PreparedCamera> cameras;
  for (std::size_t i = 0; i < books.size(); ++i) {
    monitor::EngineOptions engine = plan.cameras[i];
    engine.source.book = books[i];
    cameras.push_back(monitor::prepareCamera(std::move(engine), loaded));
  }
  return cameras;
}

void watch(const WatchPlan& plan) {
  keepArenasFew();
  monitor::SystemNotice notice;
  WatchLog log(std::cerr, isatty(STDERR_FILENO) != 0);
  catchSignals();
  for (const std::string& warning : plan.warnings) log.say(warning);
  const std::vector<monitor::RuleBook> books = plan.rules.read(plan.cameras);
  monitor::Session session(plan.session, preparedCameras(plan, books), {&log});
  sayPrecision(*session.prepared(plan.cameras[0].source.name).loaded, log);
  sayUnkept(plan, books, log);
  sayMore(plan, session, log);
  notice.ready();
  goOn(plan, session, log, notice);
  notice.stopping();
  session.stop();
  log.showStatus("");
  const auto engines = session.engines();
  std::cout << (plan.json ? summaryJson(engines) : summaryTable(engines)) << std::flush;
  endRecord(session);
  if (!plan.cameras[0].capture.everyFrame || endAsked != 0) return;
  for (const auto& engine : engines) checkReplayed(*engine);
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
