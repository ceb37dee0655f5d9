// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/commands.h"
#include "cli/options.h"
#include "files/text.h"
#include "models/street/street_model.h"
#include "mpm/version.h"
#include "secrets/secrets.h"

namespace mpm::cli {

namespace {

bool isNameLetter(unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; }

// Returns where the name in front of an address ends; npos if there is none.
std::size_t nameEnd(const std::string& text) {
  const std::size_t end = text.find('=');
  if (end == 0 || end == std::string::npos) return std::string::npos;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), isNameLetter)
             ? end
             : std::string::npos;
}

std::string namesOf(const std::vector<monitor::NamedSource>& sources) {
  std::vector<std::string> names;
  for (const monitor::NamedSource& source : sources) names.push_back(source.name);
  return files::joined(names);
}

std::string refuseEmpty(const std::string& value) {
  return value.empty() ? "the value is empty; give one, or leave the option out" : "";
}

// Rejects text before an address that cannot be a name. A file may have that name, too.
void refuseNoName(const std::string& text) {
  const std::size_t end = text.find('=');
  if (end == std::string::npos || nameEnd(text) != std::string::npos) return;
  const std::string name = text.substr(0, end);
  std::error_code ignored;
  if (name.find_first_of("/:@") != std::string::npos || std::filesystem::exists(text, ignored))
    return;
  throw UsageError("'" + name +
                   "' cannot be a source's name, which consists of letters a-z, digits, - and _; "
                   "write NAME=SOURCE, such as front-door=/dev/video0, and put ./ in front of a "
                   "file's name that contains =");
}

// Parses "NAME=ADDRESS", or an address alone, which is named "camera", or "camera1", ... if
// several.
std::vector<monitor::NamedSource> parseSources(const std::vector<std::string>& texts) {
  std::vector<monitor::NamedSource> sources;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    refuseNoName(texts[i]);
    const std::size_t end = nameEnd(texts[i]);
    monitor::NamedSource source;
    const bool named = end != std::string::npos;
    source.name = named               ? texts[i].substr(0, end)
                  : texts.size() == 1 ? std::string("camera")
                                      : "camera" + std::to_string(i + 1);
    try {
      source.address = monitor::parseSourceAddress(named ? texts[i].substr(end + 1) : texts[i]);
    } catch (const std::invalid_argument& fault) {
      throw UsageError(fault.what());
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

// Parses "FILE", for all sources, and "NAME=FILE", for one.
RulesFiles parseRules(const std::vector<std::string>& texts,
                      const std::vector<monitor::NamedSource>& sources) {
  RulesFiles files;
  for (const std::string& text : texts) {
    const std::size_t end = nameEnd(text);
    const bool named = end != std::string::npos;
    const std::string name = named ? text.substr(0, end) : std::string();
    const auto isIt = [&](const monitor::NamedSource& source) { return source.name == name; };
    if (named && std::none_of(sources.begin(), sources.end(), isIt)) {
      throw UsageError("--rules " + text + ": there is no source " + name + "; there is " +
                       namesOf(sources) + ". For a file of that name write ./" + text);
    }
    std::string& file = named ? files.bySource[name] : files.forAll;
    if (!file.empty()) {
      throw UsageError("--rules is given twice for " + (named ? name : "all sources") +
                       "; put all of its rules into one file");
    }
    file = named ? text.substr(end + 1) : text;
    if (file.empty()) throw UsageError("--rules " + text + " names no file; write NAME=FILE");
  }
  return files;
}

// Parses "127.0.0.1:9120", ":9120", "9120", "[::1]:9120".
monitor::HttpOptions parseHttp(const std::string& text) {
  monitor::HttpOptions options;
  const std::size_t colon = text.rfind(':');
  std::string_view port = text;
  if (colon != std::string::npos) {
    port = std::string_view(text).substr(colon + 1);
    std::string address = text.substr(0, colon);
    if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
      address = address.substr(1, address.size() - 2);
    }
    if (!address.empty()) options.address = address;
  }
  if (!files::parseWhole(port, options.port) || options.port < 0 || options.port > 65535) {
    throw UsageError("--http " + text +
                     " is not an address; write [ADDRESS:]PORT, such as 9120 or 0.0.0.0:9120");
  }
  return options;
}

// Parses "48.1,11.6": degrees north and east.
cv::Vec2d parseLocation(const std::string& text) {
  const std::size_t comma = text.find(',');
  cv::Vec2d place;
  if (comma == std::string::npos ||
      !files::parseWhole(std::string_view(text).substr(0, comma), place[0]) ||
      !files::parseWhole(std::string_view(text).substr(comma + 1), place[1]) ||
      !(std::abs(place[0]) <= 90) || !(std::abs(place[1]) <= 180)) {
    throw UsageError("--location " + text +
                     " is not a place; write LATITUDE,LONGITUDE in degrees north and east, such as "
                     "48.14,11.58");
  }
  return place;
}

monitor::LightOptions parseLight(const std::string& text) {
  try {
    return monitor::parseLight(text);
  } catch (const std::invalid_argument& fault) {
    throw UsageError(std::string("--light: ") + fault.what());
  }
}

constexpr double kLeast = 1e-6, kMost = 1e9;  // of a number that a person would write
constexpr const char* kReadable = " can be read by every user of this machine while this runs; ";

// Returns warnings about these sources.
std::vector<std::string> warningsOf(const std::vector<std::string>& texts,
                                    const std::vector<monitor::NamedSource>& sources) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (sources[i].address.kind != monitor::SourceKind::stream &&
        sources[i].address.kind != monitor::SourceKind::pipeline) {
      continue;
    }
    if (!secrets::holdsPassword(texts[i])) continue;
    warnings.push_back("the password in the address of " + sources[i].name + kReadable +
                       "write the address into a file and give " + sources[i].name + "=@FILE");
  }
  return warnings;
}

}  // namespace

std::vector<monitor::RuleBook> RulesFiles::read(
    const std::vector<monitor::EngineOptions>& cameras) const {
  std::vector<monitor::RuleBook> books;
  for (const monitor::EngineOptions& camera : cameras) {
    const auto own = bySource.find(camera.source.name);
    const std::string& file = own == bySource.end() ? forAll : own->second;
    books.push_back(file.empty() ? monitor::RuleBook{} : monitor::readRules(file));
  }
  return books;
}

std::vector<std::string> unkeptOf(const std::vector<monitor::EngineOptions>& cameras,
                                  const std::vector<monitor::RuleBook>& books) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < books.size(); ++i) {
    const auto& rules = books[i].rules;
    const auto wants = std::find_if(rules.begin(), rules.end(), [](const monitor::Rule& rule) {
      return rule.clip || rule.snapshot;
    });
    if (wants == rules.end()) continue;
    sentences.push_back(cameras[i].source.name + ": rule '" + wants->name + "' asks for a " +
                        (wants->clip ? "clip" : "snapshot") +
                        ", but without --record none is kept");
  }
  return sentences;
}

void WatchArguments::addSourceOptions(CLI::App& command) {
  addOption(command, "SOURCE", sources_, "",
            "cameras (/dev/video0, /dev/v4l/by-id/...), addresses\n"
            "(rtsp://..., http://...), videos, folders of pictures,\n"
            "gst:PIPELINE, libcamera:, scene:?seed=7&clock=600x;\n"
            "@FILE: the address is the first line of that file;\n"
            "NAME=SOURCE gives it a name")
      ->required();
  addOption(command, "--model", model_, "MODEL", "an ONNX file (default: the street model)");
  addOption(command, "--max-fps", mostFps_, "N",
            "most frames a second of each source; 0: no limit\n(default: 10)")
      ->check(within(0.0, kMost));
  addOption(command, "--max-megapixels", mostMegapixels_, "N",
            "most megapixels of a picture; larger ones are refused\n(default: 40)")
      ->check(within(kLeast, kMost))
      ->group(kAdvanced);
  addOption(command, "--max-reader-mb", mostReaderMegabytes_, "MB",
            "most memory for the process that reads a source; one that\n"
            "uses more is replaced (default: 1000)")
      ->check(within(kLeast, kMost))
      ->group(kAdvanced);
  command.add_flag("--replay", replay_,
                   "use every frame of files, folders and scenes, at its own\n"
                   "time; gives the same figures on every run. Pictures of a folder\n"
                   "that all have a date and time of UTC in their names, as\n"
                   "20240612T152855Z.jpg, are of that time");
  command
      .add_flag("--no-camera-watch", noCameraWatch_,
                "do not look for cameras that were moved, covered, blurred, ...\n"
                "(for one that turns by itself)")
      ->group(kAdvanced);
  addSwitch(command, "--memory", memory_,
            "off: compute every frame in full; on: what did not change\n"
            "is remembered, if the model allows it (default: on)");
  command.add_flag("--restart", restart_,
                   "the cameras were moved: forget the views stored in the record");
  command.add_flag("--loop", loop_, "start files and folders over when they end")->group(kAdvanced);
  addRenamed(command, {{"--new-view", "--restart"}, {"--no-memory", "--memory off"}});
  addOption(command, "--for", seconds_, "SECONDS", "stop after this time (default: never)")
      ->check(within(0.0, kMost));
  addOption(command, "--location", location_, "LAT,LON",
            "take day, dusk and night from the sun's position here");
  addOption(command, "--light", light_, "KEY=VALUE,...",
            "how to judge the light of a picture, separated by commas:\n" + monitor::lightHelp())
      ->group(kAdvanced);
}

void WatchArguments::addRecordOptions(CLI::App& command) {
  addOption(command, "--record", record_, "FILE",
            "an SQLite file to write to; mpm record export reads it");
  const auto add = [&](const char* name, auto& value, const char* type, auto most,
                       const char* help) {
    return addOption(command, name, value, type, help)->check(within(decltype(most){}, most));
  };
  add("--keep-days", keepDays_, "DAYS", kMost, "most days to keep anything");
  add("--keep-gb", recordGigabytes_, "GB", kMost,
      "most gigabytes, including snapshots, clips, backups and\n"
      "damaged records set aside; the oldest are deleted");
  add("--clips-gb", clipGigabytes_, "GB", kMost,
      "most gigabytes of clips; the oldest are deleted (default: 1)")
      ->group(kAdvanced);
  add("--pictures", picturesPerHour_, "N", monitor::DayPictures::kMost,
      "pictures to keep per source and hour, at the source's size,\n"
      "for looking at days and for teaching; 0: none, not even of\n"
      "camera faults (default: 4)");
  add("--pictures-gb", pictureGigabytes_, "GB", kMost,
      "most gigabytes of pictures; the oldest are deleted (default: 1)")
      ->group(kAdvanced);
  add("--backups", backups_, "N", monitor::kMostBackups,
      "backups to keep next to the record, one a night; 0: none\n"
      "(default: 3)")
      ->group(kAdvanced);
  addOption(command, "--rules", rules_, "[NAME=]FILE",
            "rules and zones, in TOML, for the source NAME; without\n"
            "NAME, for all that have none of their own; may be given\n"
            "more than once; SIGHUP reads them again")
      ->allow_extra_args(false);
}

void WatchArguments::addPublishingOptions(CLI::App& command) {
  addOption(command, "--http", http_, "[ADDRESS:]PORT",
            "/metrics for Prometheus, /healthz, pictures\n(default address: 127.0.0.1)");
  addOption(command, "--http-token-file", httpTokenFile_, "FILE",
            "a secret that readers must give; needed unless the address\n"
            "is this machine's own");
  addOption(command, "--mqtt", mqtt_, "ADDRESS",
            "a broker: mqtt://[USER@]HOST[:PORT][/PREFIX], mqtts://");
  addOption(command, "--mqtt-password-file", mqttPasswordFile_, "FILE",
            "its first line is the password; here, above and in @FILE,\n"
            "credential:NAME is a credential from systemd");
  addOption(command, "--mqtt-ca", mqttCa_, "FILE",
            "the CAs for the broker's certificate, in PEM, for mqtts://\n"
            "(default: those that the machine trusts)")
      ->group(kAdvanced);
  command.add_flag("--json", json_, "print the summary at the end as JSON");
}

void WatchArguments::addTo(CLI::App& command) {
  addSourceOptions(command);
  fit_.addTo(command);
  read_.addTo(command, kSchedule | kInputSize | kPrecisionOrAuto | kProportional | kThreads);
  addRecordOptions(command);
  addPublishingOptions(command);
  addNeeds(command, "--record",
           {"--restart", "--keep-days", "--keep-gb", "--clips-gb", "--pictures", "--pictures-gb",
            "--backups"});
  addNeeds(command, "--http", {"--http-token-file"});
  addNeeds(command, "--mqtt", {"--mqtt-password-file", "--mqtt-ca"});
  // Rejects empty values: an unset shell variable would silently drop the record or the broker.
  for (CLI::Option* option : command.get_options()) {
    if (option->nonpositional() && option->get_items_expected_max() > 0) option->check(refuseEmpty);
  }
}

// Tells whether a replay knows when its frames were taken: a folder's pictures may have times in
// their names; a video has none.
bool WatchArguments::areTimed(const std::vector<monitor::NamedSource>& sources) const {
  const bool areTimed =
      std::all_of(sources.begin(), sources.end(), [](const monitor::NamedSource& source) {
        return source.address.kind == monitor::SourceKind::folder &&
               !monitor::namedTimes(source.address.text).empty();
      });
  if (location_.empty() || areTimed) return areTimed;
  throw UsageError(
      "--location goes with --replay for folders whose pictures' names have a date and a time of "
      "UTC, as 20240612T152855Z.jpg; of other files nobody knows when they were made");
}

void WatchArguments::planNetwork(monitor::NetworkOptions& network) const {
  network.model = model_.empty() ? streetModel() : model_;
  network.segmenter.read = read_.parse();
  network.choosePrecision = network.segmenter.read.precision == kAutoPrecision;
  network.segmenter.stages = true;
  fit_.apply(network.model, network.segmenter);
}

void WatchArguments::planCameras(WatchPlan& plan) const {
  if (replay_ && loop_) throw UsageError("--replay with --loop would never end");
  const std::vector<monitor::NamedSource> sources = parseSources(sources_);
  monitor::EngineOptions engine;
  engine.capture.everyFrame = replay_;
  if (replay_) engine.capture.reader.timesInNames = areTimed(sources);
  engine.capture.reader.loop = loop_;
  engine.capture.reader.mostMegapixels = mostMegapixels_;
  engine.capture.reader.mostMegabytes = mostReaderMegabytes_;
  engine.mostFps = mostFps_;
  engine.watchCamera = !noCameraWatch_;
  engine.memory = memory_;
  if (!light_.empty()) engine.light = parseLight(light_);
  if (!location_.empty()) engine.light.location = parseLocation(location_);
  for (const monitor::NamedSource& source : sources) {
    engine.source = source;
    plan.cameras.push_back(engine);
  }
  plan.warnings = warningsOf(sources_, sources);
  plan.rules = parseRules(rules_, sources);
}

void WatchArguments::planRecord(monitor::SessionOptions& session) const {
  session.record = record_;
  session.knowsCameras = !restart_;
  session.recordOptions.backups = backups_;
  if (keepDays_ > 0) {
    for (double& days : session.recordOptions.keepDays) days = std::min(days, keepDays_);
    session.recordOptions.keepEventsDays = keepDays_;
    session.recordOptions.keepSnapshotsDays =
        std::min(session.recordOptions.keepSnapshotsDays, keepDays_);
  }
  session.recordOptions.mostClipBytes = static_cast<std::int64_t>(clipGigabytes_ * 1e9);
  session.recordOptions.mostPictureBytes = static_cast<std::int64_t>(pictureGigabytes_ * 1e9);
  session.pictures.perHour = picturesPerHour_;
  session.recordOptions.mostBytes = static_cast<std::int64_t>(recordGigabytes_ * 1e9);
}

void WatchArguments::planHttp(monitor::SessionOptions& session) const {
  if (http_.empty()) return;
  session.http = parseHttp(http_);
  if (!httpTokenFile_.empty()) session.http->token = secrets::readSecret(httpTokenFile_);
}

void WatchArguments::planMqtt(WatchPlan& plan) const {
  monitor::SessionOptions& session = plan.session;
  if (mqtt_.empty()) return;
  session.mqtt = monitor::parseMqttAddress(mqtt_);
  if (!session.mqtt->password.empty()) {
    plan.warnings.push_back(std::string("the password in --mqtt") + kReadable +
                            "give it with --mqtt-password-file");
  }
  if (!mqttPasswordFile_.empty()) session.mqtt->password = secrets::readSecret(mqttPasswordFile_);
  if (mqttCa_.empty()) return;
  if (!session.mqtt->tls)
    throw UsageError(
        "--mqtt-ca needs an address that begins with mqtts://, and that of --mqtt does not");
  session.mqtt->caFile = mqttCa_;
}

WatchPlan WatchArguments::plan() const {
  WatchPlan plan;
  plan.session.version = version();
  planNetwork(plan.network);
  planCameras(plan);
  planRecord(plan.session);
  planHttp(plan.session);
  planMqtt(plan);
  plan.seconds = seconds_;
  plan.json = json_;
  return plan;
}

}  // namespace mpm::cli
