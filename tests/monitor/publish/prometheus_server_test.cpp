// SPDX-License-Identifier: Apache-2.0
// What a real Prometheus makes of it.
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "in_project.h"
#include "monitor/publish/child_process.h"
#include "monitor/publish/http_server.h"
#include "monitor/publish/pages.h"
#include "monitor/publish/prometheus_reader.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

PublishedState strangeState() {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  state.sources[1].rules = {{"a \"b\" \\c\nd Bäume {}=,", true}};
  return state;
}

TEST(PrometheusServer, PromtoolHasNothingToSay) {
  const std::string promtool = findProgram("promtool");
  if (promtool.empty()) GTEST_SKIP() << "promtool is not installed";
  const TemporaryFolder folder;
  writeText(folder / "metrics", prometheusText(strangeState()));
  EXPECT_EQ(runProgram({promtool, "check", "metrics"}, folder / "log", folder / "metrics"), 0)
      << readText(folder / "log");
}

void replaceAll(std::string& text, const std::string& part, const std::string& other) {
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + other.size()))
    text.replace(at, part.size(), other);
}

class RunningPrometheus {
 public:
  RunningPrometheus(const TemporaryFolder& folder, int target, const std::string& token)
      : folder_(folder) {
    writeText(folder / "token", token + '\n');
    writeText(folder / "prometheus.yml",
              "global: {scrape_interval: 2s, scrape_timeout: 2s}\n"
              "scrape_configs:\n  - job_name: mpm\n    authorization: {credentials_file: " +
                  folder / "token" +
                  "}\n"
                  "    static_configs: [{targets: ['127.0.0.1:" +
                  std::to_string(target) + "']}]\n");
    start();
  }

  bool isReady() const { return isReady_; }

  /// What a query finds; null where it is refused.
  json ask(const std::string& query) const {
    httplib::Client client("127.0.0.1", port_.port());
    const auto answer =
        client.Get("/api/v1/query", httplib::Params{{"query", query}}, httplib::Headers{});
    if (!answer || answer->status != 200) return nullptr;
    return json::parse(answer->body)["data"]["result"];
  }

  /// The one value that a query finds; "nothing" where it is none, or several.
  std::string value(const std::string& query) const {
    const json result = ask(query);
    return result.size() == 1 ? result[0]["value"][1].get<std::string>() : "nothing";
  }

 private:
  void start() {
    process_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{findProgram("prometheus"),
                                 "--config.file=" + folder_ / "prometheus.yml",
                                 "--storage.tsdb.path=" + folder_ / "data",
                                 "--web.listen-address=127.0.0.1:" + std::to_string(port_.port())},
        folder_ / "prometheus.log");
    waitUntil([&] { return isUp() || !process_->isRunning(); });
    isReady_ = process_->isRunning() && isUp();
  }
  bool isUp() const {
    const auto answer = httplib::Client("127.0.0.1", port_.port()).Get("/-/ready");
    return answer && answer->status == 200;
  }

  const TemporaryFolder& folder_;
  HeldPort port_;
  bool isReady_ = false;
  std::unique_ptr<ChildProcess> process_;
};

TEST(PrometheusServer, ScrapesEachValue) {
  if (findProgram("prometheus").empty()) GTEST_SKIP() << "prometheus is not installed";
  HttpOptions options;
  options.port = 0;
  options.token = "s3cret";
  PageContent content;
  content.state = [] { return strangeState(); };
  content.picture = [](const std::string&) { return std::vector<unsigned char>(); };
  const HttpServer server(options, content);
  const TemporaryFolder folder;
  const RunningPrometheus prometheus(folder, server.port(), "s3cret");
  ASSERT_TRUE(prometheus.isReady()) << readText(folder / "prometheus.log");

  const auto expectValue = [&](const std::string& query, const std::string& value) {
    EXPECT_TRUE(waitUntil([&] { return prometheus.value(query) == value; }))
        << query << " is " << prometheus.value(query);
  };
  expectValue("up{job=\"mpm\"}", "1");
  expectValue("mpm_live_rows{source=\"north\",stage=\"1\"}", "700");
  expectValue("mpm_area_ratio{source=\"north\",class=\"car\"}", "0.125");
  expectValue("mpm_zone_area_ratio{source=\"south\",zone=\"gate\",class=\"car\"}", "0.5");
  expectValue("mpm_step_seconds{source=\"north\",step=\"network\"}", "0.04");
  expectValue("mpm_light_state{source=\"north\",state=\"dusk\"}", "1");
  expectValue("mpm_frames_total{source=\"north\"}", "750");
  expectValue("mpm_record_disk_free_bytes", "8192000000");
  expectValue(R"(mpm_rule_holding{source="south",rule="a \"b\" \\c\nd Bäume {}=,"})", "1");
  expectValue("count(mpm_capture_state == 1)", "2");

  // Each of the dashboard's queries finds something.
  for (std::string query : readDashboard(test::inProject("docs/fleet/grafana.json")).panels) {
    replaceAll(query, "$__rate_interval", "1m");
    for (const std::string name : {"$instance", "$source", "$class"}) replaceAll(query, name, ".*");
    EXPECT_TRUE(waitUntil([&] { return !prometheus.ask(query).empty(); })) << query;
  }
  for (const std::string state : {"capture", "light"}) {
    for (std::string query : readDashboard(test::inProject("docs/fleet/grafana.json")).panels) {
      if (!query.starts_with("1 * max by (instance, source) (mpm_" + state)) continue;
      replaceAll(query, "$instance", ".*");
      replaceAll(query, "$source", "north");
      expectValue(query, "2");  // live, dusk: the second of each
    }
  }
}

}  // namespace
}  // namespace mpm::monitor
