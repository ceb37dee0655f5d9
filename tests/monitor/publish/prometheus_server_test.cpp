// SPDX-License-Identifier: Apache-2.0
// What a real Prometheus makes of it.
#include <httplib.h>

#include <nlohmann/json.hpp>

#include "cli/folder.h"
#include "in_project.h"
#include "monitor/publish/dashboard.h"
#include "monitor/publish/http_server.h"
#include "monitor/publish/pages.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"
#include "monitor/says.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

PublishedState strangeState() {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  state.sources[1].rules = {{"a \"b\" \\c\nd Bäume {}=,", true}};
  return state;
}

class PrometheusServer : public testing::Test {
 protected:
  // A server of such a state, and a Prometheus that asks it.
  void start() {
    PageContent content;
    content.state = strangeState;
    content.picture = [](const std::string&) { return std::vector<unsigned char>(); };
    server_ = std::make_unique<HttpServer>(HttpOptions{"127.0.0.1", 0, "s3cret"}, content);
    const std::string configuration = folder_.write(
        "prometheus.yml",
        "global: {scrape_interval: 2s, scrape_timeout: 2s}\n"
        "scrape_configs:\n  - job_name: mpm\n    authorization: {credentials_file: " +
            folder_.write("token", "s3cret\n") + "}\n    static_configs: [{targets: ['127.0.0.1:" +
            std::to_string(server_->port()) + "']}]\n");
    const std::string log = folder_.at("prometheus.log");
    process_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{findProgram("prometheus"), "--config.file=" + configuration,
                                 "--storage.tsdb.path=" + folder_.at("data"),
                                 "--web.listen-address=127.0.0.1:" + std::to_string(port_.port())},
        log);
    const auto isUp = [&] {
      const auto answer = httplib::Client("127.0.0.1", port_.port()).Get("/-/ready");
      return answer && answer->status == 200;
    };
    waitUntil([&] { return isUp() || !process_->isRunning(); });
    ASSERT_TRUE(process_->isRunning() && isUp()) << readText(log);
  }
  // What a query finds; null where it is refused.
  json ask(const std::string& query) const {
    httplib::Client client("127.0.0.1", port_.port());
    const auto answer =
        client.Get("/api/v1/query", httplib::Params{{"query", query}}, httplib::Headers{});
    if (!answer || answer->status != 200) return nullptr;
    return json::parse(answer->body)["data"]["result"];
  }
  void expectValue(const std::string& query, const std::string& value) const {
    json result;
    EXPECT_TRUE(waitUntil([&] {
      result = ask(query);
      return result.size() == 1 && result[0]["value"][1] == value;
    })) << query
        << " is " << result;
  }

  test::Folder folder_;
  HeldPort port_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<ChildProcess> process_;
};

TEST_F(PrometheusServer, PromtoolHasNothingToSay) {
  const std::string promtool = findProgram("promtool"), log = folder_.at("log");
  if (promtool.empty()) GTEST_SKIP() << "promtool is not installed";
  const std::string metrics = folder_.write("metrics", prometheusText(strangeState()));
  EXPECT_EQ(runProgram({promtool, "check", "metrics"}, log, metrics), 0) << readText(log);
}

TEST_F(PrometheusServer, ScrapesEachValueAndFindsSomethingForEachQueryOfTheDashboard) {
  if (findProgram("prometheus").empty()) GTEST_SKIP() << "prometheus is not installed";
  ASSERT_NO_FATAL_FAILURE(start());
  const std::pair<const char*, const char*> values[] = {
      {"up{job=\"mpm\"}", "1"},
      {"mpm_live_rows{source=\"north\",stage=\"1\"}", "700"},
      {"mpm_area_ratio{source=\"north\",class=\"car\"}", "0.125"},
      {"mpm_zone_area_ratio{source=\"south\",zone=\"gate\",class=\"car\"}", "0.5"},
      {"mpm_step_seconds{source=\"north\",step=\"network\"}", "0.04"},
      {"mpm_light_state{source=\"north\",state=\"dusk\"}", "1"},
      {"mpm_frames_total{source=\"north\"}", "750"},
      {"mpm_record_disk_free_bytes", "8192000000"},
      {R"(mpm_rule_holding{source="south",rule="a \"b\" \\c\nd Bäume {}=,"})", "1"},
      {"count(mpm_capture_state == 1)", "2"}};
  for (const auto& [query, value] : values) expectValue(query, value);
  const auto replaced = [](std::string text, const std::string& part, const std::string& other) {
    for (std::size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + other.size()))
      text.replace(at, part.size(), other);
    return text;
  };
  for (const std::string& panel :
       readDashboard(test::inProject("docs/fleet/grafana.json")).panels) {
    std::string any = replaced(panel, "$__rate_interval", "1m");
    for (const char* name : {"$instance", "$source", "$class"}) any = replaced(any, name, ".*");
    EXPECT_TRUE(waitUntil([&] { return !ask(any).empty(); })) << any;
    const std::string north = replaced(replaced(panel, "$instance", ".*"), "$source", "north");
    for (const char* state : {"capture", "light"})
      if (panel.starts_with(std::string("1 * max by (instance, source) (mpm_") + state))
        expectValue(north, "2");  // live, dusk: the second of each
  }
}

}  // namespace
}  // namespace mpm::monitor
