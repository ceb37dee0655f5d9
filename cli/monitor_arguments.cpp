// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_arguments.h"

#include <algorithm>
#include <cstdint>

#include "cli/monitor_light.h"
#include "cli/usage_error.h"
#include "models/street/street_model.h"

namespace mpm::cli {

void MonitorArguments::addSourceOptions(CLI::App& command) {
  command
      .add_option("SOURCE", sources_,
                  "cameras (/dev/video0, /dev/v4l/by-id/...), addresses\n"
                  "(rtsp://..., http://...), videos, folders of pictures,\n"
                  "gst:PIPELINE, libcamera:, scene:?seed=7&clock=600x;\n"
                  "NAME=SOURCE gives it a name")
      ->required()
      ->type_name("");
  command.add_option("--model", model_, "an ONNX file (default: the street model)")
      ->type_name("MODEL");
  command
      .add_option("--max-fps", mostFps_,
                  "most frames a second of each source; 0: no limit\n(default: 10)")
      ->type_name("N");
  command.add_flag("--replay", replay_,
                   "every frame of files, folders and scenes, at their own\n"
                   "times: gives the same figures every time");
  command.add_flag("--loop", loop_, "files and folders begin again at their end");
  command.add_option("--for", seconds_, "ends after so long (default: never)")
      ->type_name("SECONDS");
  command.add_option("--location", location_, "with it the sun tells day, dusk and night")
      ->type_name("LAT,LON");
  command.add_option("--light", light_, lightHelp())->type_name("KEY=VALUE,...");
}

void MonitorArguments::addRecordOptions(CLI::App& command) {
  command.add_option("--record", record_, "an SQLite file to write to; mpm export reads it")
      ->type_name("FILE");
  command.add_option("--keep-days", keepDays_, "most days that anything is kept")
      ->type_name("DAYS");
  command
      .add_option("--keep-gb", recordGigabytes_,
                  "most gigabytes, snapshots included; the oldest go")
      ->type_name("GB");
  command
      .add_option("--rules", rules_,
                  "rules and zones, in TOML, of the source NAME, without it\n"
                  "of all that have none of their own; may be given more\n"
                  "than once; SIGHUP reads them again")
      ->type_name("[NAME=]FILE")
      ->allow_extra_args(false);
}

void MonitorArguments::addPublishingOptions(CLI::App& command) {
  command
      .add_option("--http", http_,
                  "/metrics for Prometheus, /healthz, pictures\n(default address: 127.0.0.1)")
      ->type_name("[ADDRESS:]PORT");
  command
      .add_option("--http-token-file", httpTokenFile_,
                  "a secret asked of who reads them; needed where the\n"
                  "address is not this machine's own")
      ->type_name("FILE");
  command.add_option("--mqtt", mqtt_, "a broker: mqtt://[USER@]HOST[:PORT][/PREFIX], mqtts://")
      ->type_name("ADDRESS");
  command.add_option("--mqtt-password-file", mqttPasswordFile_, "its first line")
      ->type_name("FILE");
  command
      .add_option("--mqtt-ca", mqttCa_,
                  "who signs the broker's certificate, in PEM, for mqtts://\n"
                  "(default: whom the machine trusts)")
      ->type_name("FILE");
  command.add_flag("--json", json_, "the summary at the end as JSON");
}

void MonitorArguments::addTo(CLI::App& command) {
  addSourceOptions(command);
  read_.addTo(command);
  read_.addPrecisionTo(command);
  addRecordOptions(command);
  addPublishingOptions(command);
}

void MonitorArguments::planEngine(MonitorPlan& plan) const {
  if (mostFps_ < 0) throw UsageError("--max-fps has to be 0 or more; 0 is no limit");
  if (replay_ && loop_) throw UsageError("--replay with --loop would never end");
  plan.model = model_.empty() ? streetModel() : model_;
  plan.segmenter.read = read_.parse();
  plan.segmenter.stages = true;
  plan.engine.sources = parseSources(sources_);
  plan.engine.capture.everyFrame = replay_;
  plan.engine.capture.reader.loop = loop_;
  plan.engine.mostFps = mostFps_;
  if (!light_.empty()) plan.engine.light = parseLight(light_);
  if (!location_.empty()) plan.engine.light.location = parseLocation(location_);
  plan.rules = parseRules(rules_, plan.engine.sources);
}

void MonitorArguments::planRecord(MonitorPlan& plan) const {
  plan.record = record_;
  if (keepDays_ > 0) {
    for (double& days : plan.recordOptions.keepDays) days = std::min(days, keepDays_);
    plan.recordOptions.keepEventsDays = keepDays_;
    plan.recordOptions.keepSnapshotsDays =
        std::min(plan.recordOptions.keepSnapshotsDays, keepDays_);
  }
  plan.recordOptions.mostBytes = static_cast<std::int64_t>(recordGigabytes_ * 1e9);
}

void MonitorArguments::planHttp(MonitorPlan& plan) const {
  if (http_.empty()) {
    if (httpTokenFile_.empty()) return;
    throw UsageError("--http-token-file is for --http, which is not given");
  }
  plan.http = parseHttp(http_);
  if (!httpTokenFile_.empty()) plan.http->token = readSecret(httpTokenFile_);
}

void MonitorArguments::planMqtt(MonitorPlan& plan) const {
  if (mqtt_.empty()) {
    if (!mqttPasswordFile_.empty())
      throw UsageError("--mqtt-password-file is for --mqtt, which is not given");
    if (!mqttCa_.empty()) throw UsageError("--mqtt-ca is for --mqtt, which is not given");
    return;
  }
  plan.mqtt = monitor::parseMqttAddress(mqtt_);
  if (!mqttPasswordFile_.empty()) plan.mqtt->password = readSecret(mqttPasswordFile_);
  if (mqttCa_.empty()) return;
  if (!plan.mqtt->tls)
    throw UsageError("--mqtt-ca is for an address mqtts://, that of --mqtt is without TLS");
  plan.mqtt->caFile = mqttCa_;
}

MonitorPlan MonitorArguments::plan() const {
  if (keepDays_ < 0 || recordGigabytes_ < 0 || seconds_ < 0) {
    throw UsageError("--keep-days, --keep-gb and --for have to be 0 or more");
  }
  MonitorPlan plan;
  planEngine(plan);
  planRecord(plan);
  planHttp(plan);
  planMqtt(plan);
  plan.seconds = seconds_;
  plan.json = json_;
  return plan;
}

}  // namespace mpm::cli
