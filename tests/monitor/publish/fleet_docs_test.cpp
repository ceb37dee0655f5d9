// SPDX-License-Identifier: Apache-2.0
// Whether docs/fleet.md, docs/metrics.md and the dashboard speak of what is really told.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "in_project.h"
#include "monitor/publish/child_process.h"
#include "monitor/publish/mqtt_messages.h"
#include "monitor/publish/pages.h"
#include "monitor/publish/prometheus_reader.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

const std::string kDocs = test::inProject("docs");

/// Labels of each name that is told of a source with everything.
std::map<std::string, std::set<std::string>> toldNames() {
  PublishedState state = sampleState();
  state.sources[0].metrics.push_back(MetricName::parse("of a later version"));
  state.sources[0].latest->values.push_back(1);
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [name, family] : readExposition(prometheusText(state))) {
    for (const auto& [label, value] : family.samples.front().labels) names[name].insert(label);
    names[name];
  }
  return names;
}

bool isNamePart(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

struct Mention {
  std::string name;
  std::set<std::string> labels;  // of {...} behind it
};

/// Labels of "a=\"b\",c=~\"$d\"".
std::set<std::string> labelsOf(const std::string& matchers) {
  std::set<std::string> labels;
  std::istringstream parts(matchers);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin != std::string::npos)
      labels.insert(part.substr(begin, part.find_first_of("=!", begin) - begin));
  }
  return labels;
}

std::vector<Mention> mentionsIn(const std::string& text) {
  std::vector<Mention> mentions;
  for (std::size_t at = text.find("mpm_"); at != std::string::npos;
       at = text.find("mpm_", at + 1)) {
    if (at > 0 && isNamePart(text[at - 1])) continue;
    std::size_t end = at;
    while (end < text.size() && isNamePart(text[end])) ++end;
    Mention mention{text.substr(at, end - at), {}};
    if (end < text.size() && text[end] == '{')
      mention.labels = labelsOf(text.substr(end + 1, text.find('}', end) - end - 1));
    mentions.push_back(mention);
  }
  return mentions;
}

/// What stands between backquotes.
std::vector<std::string> codeIn(const std::string& text) {
  std::vector<std::string> code;
  std::istringstream parts(text);
  bool isCode = false;
  for (std::string part; std::getline(parts, part, '`'); isCode = !isCode) {
    if (isCode) code.push_back(part);
  }
  return code;
}

TEST(FleetDocs, TheTablesNameEveryMetricAndNoOther) {
  const std::string text = readText(kDocs + "/fleet.md") + readText(kDocs + "/metrics.md");
  ASSERT_FALSE(text.empty());
  const auto told = toldNames();
  std::set<std::string> documented;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `mpm_")) continue;
    std::istringstream cells(line.substr(1));
    std::string nameCell, labelCell;
    std::getline(std::getline(cells, nameCell, '|'), labelCell, '|');
    const auto labels = codeIn(labelCell);
    for (const std::string& name : codeIn(nameCell)) {
      EXPECT_TRUE(documented.insert(name).second) << name;
      ASSERT_EQ(told.count(name), 1u) << name;
      EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()), told.at(name)) << name;
    }
  }
  for (const auto& [name, labels] : told) EXPECT_EQ(documented.count(name), 1u) << name;
  for (const Mention& mention : mentionsIn(text))
    EXPECT_EQ(told.count(mention.name), 1u) << mention.name;
}

/// Whether names and labels are such that are told; instance and job are Prometheus' own.
void expectTold(const std::string& expression) {
  const auto told = toldNames();
  for (const Mention& mention : mentionsIn(expression)) {
    ASSERT_EQ(told.count(mention.name), 1u) << mention.name;
    for (const std::string& label : mention.labels) {
      if (label != "instance" && label != "job") {
        EXPECT_EQ(told.at(mention.name).count(label), 1u) << label << " in " << expression;
      }
    }
  }
}

TEST(FleetDocs, TheDashboardAsksForWhatIsTold) {
  const DashboardQueries queries = readDashboard(kDocs + "/fleet/grafana.json");
  ASSERT_GT(queries.panels.size(), 20u);
  ASSERT_EQ(queries.variables.size(), 3u);
  std::vector<std::string> expressions = queries.panels;
  expressions.insert(expressions.end(), queries.variables.begin(), queries.variables.end());
  for (const std::string& expression : expressions) {
    EXPECT_FALSE(mentionsIn(expression).empty()) << expression;
    expectTold(expression);
  }
}

TEST(FleetDocs, TheAlertsAskForWhatIsTold) {
  const std::string alerts = readText(kDocs + "/fleet/alerts.yml");
  EXPECT_GT(mentionsIn(alerts).size(), 4u);
  expectTold(alerts);
}

TEST(FleetDocs, TheDashboardHasWhatGrafanaNeedsToImportIt) {
  const json dashboard = json::parse(readText(kDocs + "/fleet/grafana.json"));
  EXPECT_EQ(dashboard["__inputs"][0]["type"], "datasource");
  EXPECT_TRUE(dashboard["id"].is_null());
  EXPECT_FALSE(dashboard["title"].get<std::string>().empty());
  EXPECT_GE(dashboard["schemaVersion"].get<int>(), 30);
  std::set<int> ids;
  for (const json& panel : dashboard["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second);
    const json& place = panel["gridPos"];
    EXPECT_LE(place["x"].get<int>() + place["w"].get<int>(), 24) << panel["title"];
    if (panel["type"] == "row") continue;
    EXPECT_EQ(panel["datasource"]["uid"], "${DS_PROMETHEUS}") << panel["title"];
    EXPECT_FALSE(panel["targets"].empty()) << panel["title"];
  }
}

TEST(FleetDocs, TheExampleOfAStateHasTheKeysOfAState) {
  const std::string text = readText(kDocs + "/fleet.md");
  const std::size_t begin = text.find("```json\n{\"source\"");
  ASSERT_NE(begin, std::string::npos);
  const json example = json::parse(text.substr(begin + 8, text.find("```", begin + 8) - begin - 8));
  const json state = json::parse(stateJson(sampleSource()));
  for (const auto& [key, value] : state.items()) EXPECT_TRUE(example.contains(key)) << key;
  for (const auto& [key, value] : example.items()) EXPECT_TRUE(state.contains(key)) << key;
  for (const auto& [key, value] : state["capture"].items())
    EXPECT_TRUE(example["capture"].contains(key)) << key;
}

TEST(FleetDocs, PromtoolAcceptsTheExampleOfAConfiguration) {
  const std::string promtool = findProgram("promtool");
  if (promtool.empty()) GTEST_SKIP() << "promtool is not installed";
  const TemporaryFolder folder;
  // The token's file is the user's.
  EXPECT_EQ(
      runProgram({promtool, "check", "config", "--syntax-only", kDocs + "/fleet/prometheus.yml"},
                 folder / "log"),
      0)
      << readText(folder / "log");
  EXPECT_EQ(runProgram({promtool, "check", "rules", kDocs + "/fleet/alerts.yml"}, folder / "log"),
            0)
      << readText(folder / "log");
}

}  // namespace
}  // namespace mpm::monitor
