// SPDX-License-Identifier: Apache-2.0
// Cameras of one session that begin, end and change while others go on, each with its own model.
#include <nlohmann/json.hpp>

#include "in_project.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Names = std::vector<std::string>;

class Cameras : public SessionCase {
 protected:
  // Two cameras, whose net is the same.
  void begin() {
    session_.emplace(
        stubOptions(path_),
        std::vector{stubCamera(stubLive("gate"), loaded_), stubCamera(stubLive("hall"), loaded_)},
        std::vector<EngineListener*>{&heard_});
  }
  // Names in the order in which they are published.
  Names published() {
    Names names;
    for (const PublishedSource& source : session_->state().sources) names.push_back(source.name);
    return names;
  }
  std::uint64_t framesOf(const std::string& source) {
    for (const PublishedSource& each : session_->state().sources)
      if (each.name == source) return each.frames;
    ADD_FAILURE() << source << " is not published";
    return 0;
  }
  // Calls `change` while a camera is watched, which must not notice it.
  void expectUntouched(const std::string& source, const std::function<void()>& change) {
    ASSERT_TRUE(goesOn(*session_, source));
    const auto engine = session_->engine(source);
    const std::uint64_t frames = framesOf(source);
    const std::size_t past = runs(source).size();
    change();
    EXPECT_EQ(session_->engine(source), engine);
    EXPECT_GE(framesOf(source), frames);
    EXPECT_TRUE(goesOn(*session_, source));
    EXPECT_EQ(runs(source).size(), past);
  }

  HeardEvents heard_;
  LoadedNetworkPtr loaded_ = stubLoaded();
  std::optional<Session> session_;
};

TEST_F(Cameras, OneBeginsBesideAnotherThatGoesOn) {
  session_.emplace(stubOptions(path_), std::vector{stubCamera(stubLive("gate"), loaded_)});
  expectUntouched("gate", [&] {
    session_->begin({stubCamera(stubLive("hall"), loaded_)});
    EXPECT_TRUE(goesOn(*session_, "hall"));
  });
  EXPECT_EQ(published(), (Names{"gate", "hall"}));
  EXPECT_EQ(runs("hall").size(), 1u);
  EXPECT_FALSE(session_->picture("hall").empty());
}

TEST_F(Cameras, OneEndsBesideAnotherThatGoesOn) {
  begin();
  ASSERT_TRUE(goesOn(*session_, "hall"));
  const std::weak_ptr<Engine> hall = session_->engine("hall");
  expectUntouched("gate", [&] { session_->end({"hall"}); });
  EXPECT_TRUE(hall.expired()) << "and its source is closed";
  EXPECT_EQ(published(), Names{"gate"});
  EXPECT_EQ(session_->engines().size(), 1u);
  EXPECT_FALSE(session_->engine("hall"));
  EXPECT_TRUE(session_->picture("hall").empty());
  session_->begin({stubCamera(stubLive("hall"), loaded_)});
  EXPECT_TRUE(goesOn(*session_, "hall"));
  EXPECT_EQ(runs("hall").size(), 2u);
  session_->end({"gate", "hall"});
  EXPECT_EQ(published(), Names());
}

TEST_F(Cameras, OneThatIsReplacedBeginsAnewInItsPlaceAlone) {
  begin();
  ASSERT_TRUE(goesOn(*session_, "gate", 10));
  expectUntouched("hall", [&] {
    session_->begin({stubCamera(stubReplay(5), loaded_)});
    EXPECT_TRUE(eventually([&] { return session_->engine("gate")->done(); }));
  });
  EXPECT_EQ(framesOf("gate"), 5u);
  EXPECT_EQ(published(), (Names{"gate", "hall"}));
  const auto past = runs("gate");
  ASSERT_EQ(past.size(), 2u);
  EXPECT_FALSE(nlohmann::json::parse(past[0].facts.settings)["replay"]);
  EXPECT_TRUE(nlohmann::json::parse(past[1].facts.settings)["replay"]);
}

TEST_F(Cameras, TwoOfOneNameAreRefused) {
  const std::vector twice{stubCamera(stubLive("hall"), loaded_),
                          stubCamera(stubLive("hall"), loaded_)};
  EXPECT_THROW(Session(stubOptions(), twice), std::invalid_argument);
  begin();
  expectUntouched("hall", [&] { EXPECT_THROW(session_->begin(twice), std::invalid_argument); });
}

// A model of another kind.
class FieldNetwork : public StubNetwork {
 public:
  std::vector<std::string> classes() const override { return {"soil", "wheat", "weed", "sky"}; }
};

TEST_F(Cameras, EachHasTheMetricsAndTheScheduleOfItsModel) {
  EngineOptions field = watching({.frames = 20}, named("field"));
  field.schedule = Schedule{1};
  session_.emplace(
      stubOptions(path_),
      std::vector{stubCamera(stubReplay(20), loaded_),
                  stubCamera(field, stubLoaded(std::make_shared<FieldNetwork>(), "field"))});
  ASSERT_TRUE(isDone(*session_));
  const auto state = session_->state();
  ASSERT_EQ(state.sources.size(), 2u);
  const struct {
    const char *source, *has, *lacks, *model, *schedule;
  } expected[] = {{"gate", "area.dark", "area.wheat", "stub", "[2,5]"},
                  {"field", "area.wheat", "area.dark", "field", "[1]"}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [name, has, lacks, model, schedule] = expected[i];
    const PublishedSource& source = state.sources[i];
    EXPECT_EQ(source.name, name);
    EXPECT_EQ(source.frames, 20u);
    Names metrics;
    for (const MetricName& metric : source.metrics) metrics.push_back(metric.text());
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), has), 1);
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), lacks), 0);
    ASSERT_TRUE(source.latest);
    EXPECT_EQ(source.latest->values.size(), metrics.size());
    const RunFacts facts = runs(name).at(0).facts;
    EXPECT_EQ(facts.model, std::string(model) + ".onnx");
    EXPECT_EQ(facts.modelHash, "hash of " + std::string(model));
    EXPECT_EQ(facts.metrics, metrics);
    EXPECT_EQ(nlohmann::json::parse(facts.settings)["merge_before"].dump(), schedule);
  }
}

TEST_F(Cameras, EventsSayOfWhichTheyAre) {
  Rule failing = brightRule("failing");
  failing.command = {"/nowhere/alert"};
  const std::pair<const char*, Rule> rules[] = {{"gate", brightRule()}, {"hall", failing}};
  std::vector<PreparedCamera> cameras;
  for (const auto& [name, rule] : rules)
    cameras.push_back(stubCamera(watching({.frames = 60}, named(name, {rule})), loaded_));
  session_.emplace(stubOptions(path_), cameras, std::vector<EngineListener*>{&heard_});
  ASSERT_TRUE(isDone(*session_));
  ASSERT_TRUE(eventually([&] { return session_->state().commands->failed == 2; }));
  session_->stop();
  ASSERT_TRUE(session_->endRecord(kDiskMs));
  const std::pair<const char*, std::size_t> commands[] = {{"gate", 0}, {"hall", 2}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [name, rule] = rules[i];
    const auto all = {heard_.of("rule", name), events("rule", name)};
    for (const std::vector<Event>& told : all) {
      ASSERT_EQ(told.size(), 2u) << name;
      for (const Event& event : told) EXPECT_EQ(event.name, rule.name);
    }
    EXPECT_EQ(heard_.of("source", name).size(), events("source", name).size());
    EXPECT_FALSE(events("light", name).empty());
    EXPECT_EQ(heard_.of("command", name).size(), commands[i].second) << name;
    EXPECT_EQ(events("command", name).size(), commands[i].second) << name;
  }
}

RuleBook bookOf(double left, const std::vector<Rule>& rules = {}) {
  RuleBook book;
  book.zones = {{"right", {{left, 0}, {1, 0}, {1, 1}}}};
  book.rules = rules;
  return book;
}

TEST_F(Cameras, AnotherZoneOfOneBeginsThatOneAnewAlone) {
  begin();
  const auto gate = session_->engine("gate");
  const struct {
    RuleBook gate, hall;
    bool begins;
    std::size_t runs;  // of the gate
  } steps[] = {{bookOf(0.5), {}, true, 2},
               {bookOf(0.5, {brightRule()}), {}, false, 2},
               {bookOf(0.4, {brightRule()}), {}, true, 3}};
  for (const auto& step : steps) {
    expectUntouched("hall", [&] {
      EXPECT_EQ(session_->setBooks({step.gate, step.hall}), step.begins);
    });
    EXPECT_EQ(runs("gate").size(), step.runs);
    EXPECT_TRUE(session_->engine("gate")->metrics().find("zone.right.area.bright"));
    EXPECT_TRUE(eventually(
        [&] { return session_->engine("gate")->rules().size() == step.gate.rules.size(); }));
  }
  EXPECT_TRUE(session_->engine("hall")->rules().empty());
  const std::vector<Rule> faulty{metricRule("by zone", "zone.left.area.bright", 0.5)};
  expectUntouched("gate", [&] {
    EXPECT_THROW(session_->setBooks({bookOf(0.3), bookOf(0.3, faulty)}), std::runtime_error);
  });
  EXPECT_EQ(session_->state().sources[0].rules.size(), 1u);
}

// As `mpm watch` does on SIGHUP, where all have one model.
TEST_F(Cameras, AModelThatWasReplacedInItsFileIsTakenByItsOwnCamerasAlone) {
  const std::string model = folder_ / "model.onnx";
  std::filesystem::copy_file(inProject("tests/models/segmenter_mask.onnx"), model);
  NetworkOptions options;
  options.model = model;
  const auto onDisk = loadNetwork(options, [] { return std::vector<cv::Mat>(); });
  session_.emplace(stubOptions(path_), std::vector{stubCamera(stubLive("gate"), loaded_),
                                                   stubCamera(stubLive("yard"), onDisk),
                                                   stubCamera(stubLive("field"), onDisk)});
  expectUntouched("yard", [&] { EXPECT_FALSE(session_->setBooks({{}, {}, {}})); });
  std::ofstream(model, std::ios::app | std::ios::binary)
      << std::string("\x32\x01x", 3);  // a field of protobuf more: the same model, another file
  expectUntouched("gate", [&] { EXPECT_TRUE(session_->setBooks({{}, {}, {}})); });
  EXPECT_NE(session_->prepared("yard").loaded->hash, onDisk->hash);
  EXPECT_EQ(session_->prepared("field").loaded, session_->prepared("yard").loaded) << "loaded once";
  for (const char* name : {"yard", "field"}) EXPECT_EQ(runs(name).size(), 2u) << name;
}

}  // namespace
}  // namespace mpm::test
