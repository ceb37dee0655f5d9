// SPDX-License-Identifier: Apache-2.0
// mpm watch: watches sources without a window for an unlimited time.
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/watch_options.h"
#include "cli/wording.h"
#include "monitor/engine/engine.h"
#include "monitor/service/system_notice.h"

namespace mpm::cli {
namespace {

using std::chrono::milliseconds;

// Writes events as lines: "2026-05-04T03:02:01.500Z gate: the light is night now, it was dusk". A
// line below them, redrawn in place, shows the status. For any threads.
class WatchLog : public monitor::EngineListener {
 public:
  WatchLog(std::ostream& out, bool redraws) : out_(out), redraws_(redraws) {}
  ~WatchLog() override {
    if (!status_.empty()) out_ << "\r\x1b[K" << std::flush;
  }

  void onEvent(const std::string& source, const monitor::Event& event) override {
    if (event.kind == "record") {
      if (!isSaid(event.text, recordEvent_, recordFault_)) say("the record: " + event.text);
      return;
    }
    write(monitor::isoUtc(event.at.utcMs) + " " + source + ": " + event.text);
  }

  void say(const std::string& sentence) {
    write(monitor::isoUtc(monitor::systemClock().now().utcMs) + " " + sentence);
  }

  // Reports a problem of the record, unless an event did, which is not repeated either. Empty
  // means that there is none any more.
  void sayOfRecord(const std::string& fault) {
    if (fault.empty()) {
      say("the record is being written again");
      const std::lock_guard lock(mutex_);
      recordEvent_.clear();
      recordFault_.clear();
    } else if (!isSaid(fault, recordFault_, recordEvent_)) {
      say("the record: " + fault);
    }
  }

  // Shows nothing where it cannot be redrawn.
  void showStatus(const std::string& line) {
    if (!redraws_) return;
    const std::lock_guard lock(mutex_);
    status_ = line;
    out_ << "\r\x1b[K" << status_ << std::flush;
  }

 private:
  void write(const std::string& line) {
    const std::lock_guard lock(mutex_);
    out_.clear();  // what could not be written, to a full disk for example, is not the end of it
    if (!status_.empty()) out_ << "\r\x1b[K";
    out_ << line << '\n' << status_ << std::flush;
  }

  // Tells whether the other source of this message was first.
  bool isSaid(const std::string& text, std::string& here, const std::string& there) {
    const std::lock_guard lock(mutex_);
    here = text;
    return text == there;
  }

  std::ostream& out_;
  bool redraws_;
  std::mutex mutex_;
  std::string status_;
  std::string recordEvent_, recordFault_;  // what was said last of the record
};

std::optional<double> valueOf(const monitor::Engine& engine, const monitor::FrameResult& result,
                              const char* metric) {
  const std::optional<std::size_t> place = engine.metrics().find(metric);
  if (!place || std::isnan(result.known.values[*place])) return std::nullopt;
  return result.known.values[*place];
}

std::string sourceStatus(const monitor::Engine& engine) {
  const monitor::CaptureStatus capture = engine.capture();
  std::string text = engine.source().name + " ";
  const monitor::FrameResultPtr result = engine.latest();
  if (capture.state != monitor::CaptureState::live &&
      capture.state != monitor::CaptureState::ended) {
    text += monitor::nameOf(capture.state);
    if (capture.state == monitor::CaptureState::waiting) {
      text += ", next try in " + numberText(static_cast<double>(capture.msToNextTry) / 1000, 0) +
              " s: " + capture.fault;
    }
    return text;
  }
  if (!result) return text + "no frame yet";
  text += std::string(monitor::nameOf(result->light.state));
  const auto rows = valueOf(engine, *result, "live_rows");
  const auto before = valueOf(engine, *result, "rows.0");
  if (rows && before)
    text += " " + numberText(*rows, 0) + " of " + numberText(*before, 0) + " rows";
  if (const auto fresh = valueOf(engine, *result, "fresh_share"))
    text += ", " + numberText(*fresh * 100, 0) + "% computed";
  if (const auto ms = valueOf(engine, *result, "ms.network")) text += ", " + msText(*ms);
  text += ", " + numberText(capture.fps, 1) + " fps";
  if (const auto age = valueOf(engine, *result, "frame_age_ms")) {
    text += ", age " + numberText(*age, 0) + " ms";
  }
  if (capture.drops > 0) text += ", " + std::to_string(capture.drops) + " dropped";
  return text;
}

// Returns one line on all sources: "gate day 412 of 1025 rows, 36 ms, 9.9 fps, age 52 ms". It is
// cut to `width`, if not 0.
std::string statusLine(const monitor::Engines& engines, std::size_t width) {
  std::string line, fault;
  for (const auto& engine : engines) {
    line += (line.empty() ? "" : " | ") + sourceStatus(*engine);
    if (fault.empty()) fault = engine->fault();
  }
  if (!fault.empty()) line += " | " + fault;
  if (width > 0 && line.size() > width) line.resize(width);
  return line;
}

std::string meanText(const monitor::Statistics& statistics, const char* metric,
                     monitor::LightState light, double scale, int digits) {
  const auto place = statistics.metrics().find(metric);
  if (!place) return "-";
  const monitor::Running& running = statistics.of(*place, light).running;
  if (running.count() == 0) return "-";
  std::string text = numberText(running.mean() * scale, digits);
  if (running.count() > 1) text += " +- " + numberText(running.deviation() * scale, digits);
  return text;
}

// Lists the largest classes by their mean shares of the picture: "road 41%, sky 22%, car 9%".
std::string classesText(const monitor::Statistics& statistics, monitor::LightState light) {
  constexpr std::size_t kNamed = 3;
  constexpr double kLeast = 0.005;
  std::vector<std::pair<double, std::string>> shares;
  const std::vector<monitor::MetricName>& metrics = statistics.metrics().parsed();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const monitor::Running& running = statistics.of(i, light).running;
    const bool isOfPicture =
        metrics[i].kind == monitor::MetricKind::area && metrics[i].zone.empty();
    if (isOfPicture && running.count() > 0 && running.mean() >= kLeast)
      shares.emplace_back(running.mean(), metrics[i].part);
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, shares.size()); ++i)
    text += (i > 0 ? ", " : "") + shares[i].second + " " + shareText(shares[i].first, 0);
  return text.empty() ? "-" : text;
}

void addRows(const monitor::Engine& engine, std::vector<std::vector<std::string>>& rows) {
  engine.readStatistics([&](const monitor::Statistics& statistics) {
    for (const monitor::LightState light : monitor::kAllLightStates) {
      const std::uint64_t frames = statistics.frames(light);
      if (frames == 0) continue;
      rows.push_back({engine.source().name, std::string(monitor::nameOf(light)),
                      std::to_string(frames), meanText(statistics, "live_rows", light, 1, 1),
                      meanText(statistics, "merged_share", light, 100, 1),
                      meanText(statistics, "fresh_share", light, 100, 1),
                      meanText(statistics, "confidence", light, 100, 1),
                      meanText(statistics, "ms.network", light, 1, 1),
                      classesText(statistics, light)});
    }
  });
}

nlohmann::json distributionJson(const monitor::Distribution& distribution) {
  const monitor::Running& running = distribution.running;
  nlohmann::json json{{"count", running.count()},
                      {"mean", running.mean()},
                      {"min", running.smallest()},
                      {"max", running.largest()}};
  if (running.count() > 1) json["deviation"] = running.deviation();
  for (const auto& [name, share] : {std::pair{"p5", 0.05}, {"median", 0.5}, {"p95", 0.95}}) {
    json[name] = distribution.sketch.quantile(share);
  }
  return json;
}

nlohmann::json lightJson(const monitor::Statistics& statistics) {
  nlohmann::json lights = nlohmann::json::object();
  for (const monitor::LightState light : monitor::kAllLightStates) {
    const std::uint64_t frames = statistics.frames(light);
    if (frames == 0) continue;
    nlohmann::json metrics = nlohmann::json::object();
    for (std::size_t i = 0; i < statistics.metrics().size(); ++i) {
      const monitor::Distribution& distribution = statistics.of(i, light);
      if (distribution.running.count() == 0) continue;
      metrics[statistics.metrics().names()[i]] = distributionJson(distribution);
    }
    lights[std::string(monitor::nameOf(light))] = {{"frames", frames}, {"metrics", metrics}};
  }
  return lights;
}

// Sums up every source by light state: a table of the most important values.
std::string summaryTable(const monitor::Engines& engines) {
  std::vector<std::vector<std::string>> rows{{"source", "light", "frames", "live rows", "merged %",
                                              "computed %", "confidence %", "network ms",
                                              "largest classes"}};
  for (const auto& engine : engines) addRows(*engine, rows);
  return rows.size() > 1 ? tableText(rows, "llrrrrrrl") : "no frame came\n";
}

// Returns all values: {"sources": [{"name", "address", "frames", "drops", "reconnects", "light":
// {"day": {"frames", "metrics": {"live_rows": {"count", "mean", "deviation", "min", "p5",
// "median", "p95", "max"}}}}}]}.
std::string summaryJson(const monitor::Engines& engines) {
  nlohmann::json sources = nlohmann::json::array();
  for (const auto& engine : engines) {
    const monitor::CaptureStatus capture = engine->capture();
    nlohmann::json source{{"name", engine->source().name},
                          {"address", engine->source().address.shown},
                          {"frames", engine->frames()},
                          {"drops", capture.drops},
                          {"reconnects", capture.reconnects}};
    engine->readStatistics(
        [&](const monitor::Statistics& statistics) { source["light"] = lightJson(statistics); });
    sources.push_back(std::move(source));
  }
  return jsonText(nlohmann::json{{"sources", sources}});
}

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
