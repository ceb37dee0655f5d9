// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/run_table.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

std::string metricsJson(const std::vector<std::string>& metrics) {
  return Json(metrics).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> metricsOf(const std::string& text) {
  std::vector<std::string> metrics;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array()) return metrics;
  for (const Json& name : json) metrics.push_back(name.is_string() ? name.get<std::string>() : "");
  return metrics;
}

bool isThere(Database& database, std::int64_t id, const RunFacts& facts) {
  Statement same(database,
                 "SELECT 1 FROM run WHERE id = ?1 AND source = ?2 AND model_hash = ?3 "
                 "AND begun_utc_ms = ?4 AND begun_steady_ms = ?5");
  same.bind(1, id).bindText(2, facts.source).bindText(3, facts.modelHash);
  return same.bind(4, facts.begun.utcMs).bind(5, facts.begun.steadyMs).step();
}

bool isTaken(Database& database, std::int64_t id) {
  Statement taken(database, "SELECT 1 FROM run WHERE id = ?1");
  return taken.bind(1, id).step();
}

}  // namespace

void checkRun(const RunFacts& facts) {
  if (facts.source.empty()) throw std::invalid_argument("A run needs the name of its source");
  const Metrics metrics(facts.metrics);
}

std::int64_t storeRun(Database& database, std::int64_t id, const RunFacts& facts) {
  if (isThere(database, id, facts)) return id;
  if (isTaken(database, id)) id = database.number("SELECT max(id) + 1 FROM run");
  const std::string metrics = metricsJson(facts.metrics);
  Statement insert(database,
                   "INSERT INTO run(id, source, address, model, model_hash, settings, version, "
                   "metrics, begun_utc_ms, begun_steady_ms, begun_era, begun_synchronised) "
                   "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  insert.bind(1, id).bindText(2, facts.source).bindText(3, facts.address);
  insert.bindText(4, facts.model).bindText(5, facts.modelHash).bindText(6, facts.settings);
  insert.bindText(7, facts.version).bindText(8, metrics).bind(9, facts.begun.utcMs);
  insert.bind(10, facts.begun.steadyMs).bind(11, std::int64_t{facts.begun.era});
  insert.bind(12, std::int64_t{facts.begun.synchronised}).run();
  return id;
}

std::vector<RecordedRun> runsOf(Database& database, const std::string& source, int schema) {
  const std::string sql =
      std::string("SELECT id, address, model, model_hash, settings, version, metrics, ") +
      "begun_utc_ms, begun_steady_ms, begun_era, " + (schema >= 2 ? "begun_synchronised" : "1") +
      " FROM run WHERE source = ?1 ORDER BY id";
  Statement rows(database, sql);
  rows.bindText(1, source);
  std::vector<RecordedRun> runs;
  while (rows.step()) {
    RecordedRun run;
    run.id = rows.number(0);
    run.facts.source = source;
    run.facts.address = rows.text(1);
    run.facts.model = rows.text(2);
    run.facts.modelHash = rows.text(3);
    run.facts.settings = rows.text(4);
    run.facts.version = rows.text(5);
    run.facts.metrics = metricsOf(rows.text(6));
    run.facts.begun.utcMs = rows.number(7);
    run.facts.begun.steadyMs = rows.number(8);
    run.facts.begun.era = static_cast<std::int32_t>(rows.number(9));
    run.facts.begun.synchronised = rows.number(10) != 0;
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace mpm::monitor
