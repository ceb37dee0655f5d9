// SPDX-License-Identifier: Apache-2.0
#include "gui/app/settings.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/app/options.h"
#include "monitor/record/record.h"

namespace mpm::gui {
namespace {

constexpr const char* kSecret = "rtsp://user:topsecret@camera/stream";

monitor::RuleBook zoned(const char* name) {
  monitor::RuleBook book;
  book.zones.push_back({name, {{0, 0}, {1, 0}, {1, 1}}});
  return book;
}

// Blocks a folder's path with something else while it exists, then restores the folder.
class InTheWay {
 public:
  explicit InTheWay(const QString& folder) : file_(folder), aside_(folder + ".aside") {
    EXPECT_TRUE(!QFileInfo::exists(folder) || QDir().rename(folder, aside_));
    QDir().mkpath(QFileInfo(folder).path());
    EXPECT_TRUE(file_.open(QIODevice::WriteOnly));
  }
  ~InTheWay() {
    EXPECT_TRUE(file_.remove());
    EXPECT_TRUE(!QFileInfo::exists(aside_) || QDir().rename(aside_, file_.fileName()));
  }
  InTheWay(const InTheWay&) = delete;
  InTheWay& operator=(const InTheWay&) = delete;

 private:
  QFile file_;
  const QString aside_;
};

// Guards against a shared user folder, in which two checkouts' tests saw each other's settings.
TEST(Settings, OfTestsAreThisProcessesAlone) {
  EXPECT_TRUE(QDir::homePath().startsWith(QDir::tempPath())) << qPrintable(QDir::homePath());
  EXPECT_TRUE(QSettings().fileName().startsWith(QDir::homePath()));
  EXPECT_TRUE(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)
                  .startsWith(QDir::homePath()));
}

class OwnModels : public ::testing::Test {
 protected:
  static constexpr const char *kGate = "/dev/video7", *kYard = "/dev/video8";

  OwnModels() {
    for (const QString* name : {&common_, &own_}) {
      QFile file(*name);
      EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    }
    kept_.live.source = kGate;
    kept_.live.beside = QStringList{kYard};
    kept_.live.model = common_;
    kept_.live.schedule = Schedule{1};
    kept_.live.setModelOf(kYard, own_);
  }
  ~OwnModels() override { writeSettings({}); }
  static LiveOptions next(const AppOptions& options = {}) {
    return withOptions(readSettings(), options).live;
  }

  QTemporaryDir folder_;
  const QString common_ = folder_.filePath("common.onnx"), own_ = folder_.filePath("own.onnx");
  Settings kept_;
};

TEST_F(OwnModels, AndTheirSchedulesAreThereAtTheNextStart) {
  EXPECT_EQ(kept_.live.scheduleOf(kYard), std::nullopt) << "its usual one";
  kept_.live.setScheduleOf(kYard, {2});
  writeSettings(kept_);
  const LiveOptions live = next();
  EXPECT_EQ(live.modelOf(kGate), common_);
  EXPECT_EQ(live.modelOf(kYard), own_);
  EXPECT_EQ(live.scheduleOf(kGate), Schedule{1});
  EXPECT_EQ(live.scheduleOf(kYard), Schedule{2});
}

TEST_F(OwnModels, GiveWayToTheCommonOneWhereItIsChosenAskedForOrTheirFileIsGone) {
  kept_.live.setModelOf(kYard, common_);
  EXPECT_FALSE(kept_.live.hasOwnModel(kYard));
  kept_.live.setModelOf(kYard, own_);
  writeSettings(kept_);
  AppOptions asked;
  asked.model = common_;
  EXPECT_FALSE(next(asked).hasOwnModel(kYard));
  ASSERT_TRUE(QFile::remove(own_));
  const Settings without = withOptions(readSettings(), {});
  EXPECT_EQ(without.live.modelOf(kYard), common_);
  EXPECT_EQ(without.goneModel, own_);
}

// Guards against an app that does not start where it once started with an address that it refuses.
TEST_F(OwnModels, KeepNoAddressThatIsNoneFromBeingTold) {
  kept_.live.source = "scene:?nonsense=1";
  writeSettings(kept_);
  AppOptions asked;
  EXPECT_EQ(next(asked).modelOf(kept_.live.source), common_);
  asked.model = own_;
  asked.schedule = Schedule{2};
  EXPECT_EQ(next(asked).modelOf(kept_.live.source), own_);
}

TEST(Settings, TheLastOneOpenedIsInFrontOnceTenAreKeptAndNoneWithAPassword) {
  QStringList list;
  for (int i = 0; i < 12; ++i) list = withRecentSource(list, QString("/dev/video%1").arg(i));
  EXPECT_EQ(list.size(), 10);
  EXPECT_EQ(list.front(), "/dev/video11");
  list = withRecentSource(list, "/dev/video5");
  EXPECT_EQ(list.front(), "/dev/video5");
  EXPECT_EQ(list.count("/dev/video5"), 1);
  EXPECT_EQ(withRecentSource({"/dev/video0"}, kSecret), QStringList{"/dev/video0"});
  EXPECT_EQ(withRecentSource({}, "rtsp://camera/stream").size(), 1);
  Settings settings;
  settings.live.source = kSecret;
  settings.recentSources = QStringList{kSecret, "/dev/video0"};
  writeSettings(settings);
  const QSettings stored;
  for (const QString& key : stored.allKeys())
    EXPECT_FALSE(stored.value(key).toStringList().join(' ').contains("topsecret"))
        << qPrintable(key);
  EXPECT_EQ(readSettings().recentSources, QStringList{"/dev/video0"});
}

TEST(Settings, ASourceIsSpokenOfByTheNameThatItWasGiven) {
  Settings settings;
  settings.sourceNames[sourceName(kSecret)] = "gate";
  writeSettings(settings);
  const QVariantMap kept = readSettings().sourceNames;
  EXPECT_EQ(spokenName(kSecret, kept), "gate");
  EXPECT_FALSE(spokenName(kSecret, {}).contains("topsecret"));
  EXPECT_EQ(spokenName("/dev/video0", kept), "/dev/video0");
  EXPECT_EQ(spokenName(kStreet, kept), "A drawn street") << "not an address that nobody typed";
  QSettings().remove("source_names");
}

TEST(Settings, TheSceneMemoryIsOnUnlessItWasSwitchedOff) {
  QSettings().remove("memory");
  EXPECT_TRUE(readSettings().live.memory);
  Settings settings;
  AppOptions options;
  for (const bool memory : {false, true}) {
    settings.memory = memory;
    writeSettings(settings);
    EXPECT_EQ(readSettings().live.memory, memory);
    EXPECT_EQ(withOptions(readSettings(), options).live.memory, memory);
  }
  options.noMemory = true;
  EXPECT_FALSE(withOptions(readSettings(), options).live.memory);
}

TEST(Settings, WhatIsSeenIsFoundAgain) {
  Settings settings;
  settings.views = {ViewKind::camera, ViewKind::computed, ViewKind::mergeMap};
  settings.onWall = false;
  settings.shownSource = "gate-1a2b";
  settings.compare = true;
  settings.hiddenClasses = QStringList{"road", "sky"};
  settings.soloClass = "car";
  settings.plotSpanMs = 86'400'000;
  settings.daysMetric = "luma";
  settings.daysSpan = 2;
  settings.language = "fr";
  writeSettings(settings);
  const Settings kept = readSettings();
  EXPECT_EQ(kept.views, settings.views);
  EXPECT_TRUE(kept.compare && !kept.onWall);
  EXPECT_EQ(kept.shownSource, "gate-1a2b");
  EXPECT_EQ(kept.hiddenClasses, settings.hiddenClasses);
  EXPECT_EQ(kept.soloClass, "car");
  EXPECT_EQ(kept.plotSpanMs, 86'400'000);
  EXPECT_EQ(kept.daysMetric, "luma");
  EXPECT_EQ(kept.daysSpan, 2);
  EXPECT_EQ(kept.language, "fr");
  writeSettings({});
  EXPECT_TRUE(readSettings().hiddenClasses.isEmpty() && readSettings().language.isEmpty());
}

// A failed write must be reported and tried again. Guards against a record that silently stays
// unwritten as if none was wanted.
TEST(Settings, WhatCannotBeWrittenIsTriedAgainAndARecordIsWantedAllTheSame) {
  Settings settings;
  settings.soloClass = "car";
  writeSettings({});
  {
    const InTheWay blocking(QFileInfo(QSettings().fileName()).path());
    EXPECT_FALSE(writeSettings(settings).has_value());
  }
  EXPECT_TRUE(writeSettings(settings).has_value());
  EXPECT_EQ(readSettings().soloClass, "car");
  writeSettings({});
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  const InTheWay blocking(QFileInfo(folder).path());
  EXPECT_EQ(withOptions({}, {}).live.record, folder + "/record.sqlite");
}

// Guards against --fresh continuing the everyday record.
TEST(Settings, AFreshStartRecordsOnlyWhereItIsTold) {
  AppOptions options;
  options.fresh = true;
  EXPECT_EQ(withOptions({}, options).live.record, QString());
  options.record = "yard.sqlite";
  EXPECT_EQ(withOptions({}, options).live.record, "yard.sqlite");
  options.record = "none";
  EXPECT_EQ(withOptions({}, options).live.record, QString());
}

// Guards against one file for two gates whose names differ in Chinese letters.
const QString kNorth = QStringLiteral("/a/北门"), kSouth = QStringLiteral("/a/南门");

TEST(SourceName, EachAddressHasANameAndARulesFileOfItsOwnWithoutSecrets) {
  const QStringList alike{"/a/cam 1", "/a/cam_1", "/a/cam.1", "/a/cam/1",    "_a_cam_1",   kNorth,
                          kSouth,     "Köln.mp4", "Käln.mp4", "/dev/video0", "/dev/video1"};
  for (const QString& one : alike) {
    EXPECT_TRUE(QRegularExpression("^[A-Za-z0-9_-]+$").match(sourceName(one)).hasMatch());
    for (const QString& other : alike) {
      EXPECT_EQ(sourceName(one) == sourceName(other), one == other) << qPrintable(one + other);
      EXPECT_EQ(rulesFileOf(one) == rulesFileOf(other), one == other) << qPrintable(one + other);
    }
  }
  EXPECT_EQ(earlierSourceName("rtsp://camera/stream"), "rtsp___camera_stream");
  EXPECT_TRUE(QRegularExpression("/rules/_dev_video0-[0-9a-f]{8}\\.toml$")
                  .match(rulesFileOf("/dev/video0"))
                  .hasMatch());
  EXPECT_FALSE(rulesFileOf(kSecret).contains("topsecret"));
  EXPECT_EQ(rulesFileOf("scene:?seed=banana"), QString());
}

// Guards against "Rules and zones cannot be written to ...: File name too long".
TEST(SourceName, AnAddressThatIsLongerThanAFilesNameHasRulesToo) {
  const QString folders = "/videos" + QStringLiteral("/in a folder").repeated(30);
  writeBook(rulesFileOf(folders + "/1.mp4"), zoned("gate"));
  writeBook(rulesFileOf(folders + "/2.mp4"), zoned("door"));
  EXPECT_TRUE(keptRules(folders + "/1.mp4", {}).book == zoned("gate"));
  EXPECT_TRUE(keptRules(folders + "/2.mp4", {}).book == zoned("door"));
  const QString usual = sourceName("/videos/" + QString(220, 'x'));
  EXPECT_EQ(fileNameOf(usual), usual) << "what was kept before is found";
}

// Earlier versions used these names.
TEST(SourceName, WhatWasKeptByTheNameBeforeIsFoundUntilThereIsSomethingElse) {
  const QString before = QFileInfo(rulesFileOf("/x")).path() + "/_a_______.toml";
  writeBook(before, zoned("gate"));
  EXPECT_TRUE(keptRules(kNorth, {}).book == zoned("gate"));
  writeBook(rulesFileOf(kNorth), zoned("door"));
  EXPECT_TRUE(keptRules(kNorth, {}).book == zoned("door"));
  EXPECT_TRUE(keptRules(kSouth, {}).book == zoned("gate"));
  QFile::remove(before);
  QFile::remove(rulesFileOf(kNorth));
  QVariantMap names{{"_a_______", "gate"}};
  EXPECT_EQ(spokenName(kSouth, names), "gate");
  names[sourceName(kSouth)] = "south";
  EXPECT_EQ(spokenName(kSouth, names), "south");
  EXPECT_EQ(spokenName(kNorth, names), "gate");
  names[sourceName(kNorth)] = "";
  EXPECT_EQ(spokenName(kNorth, names), kNorth);
}

// A record continues if it belongs to this address alone.
TEST(SourceName, TheHistoryOfOneAddressGoesOnAndThatOfTwoDoesNot) {
  const QTemporaryDir folder;
  const QString record = folder.filePath("record.sqlite");
  EXPECT_EQ(nameInRecord(kNorth, record), sourceName(kNorth)) << "there is none yet";
  const auto add = [&](const QString& address) {
    monitor::RunFacts facts;
    facts.source = "_a_______";
    facts.address = address.toStdString();
    facts.metrics = {"luma"};
    facts.settings = "{}";
    monitor::Record(record.toStdString()).beginRun(facts);
  };
  add(kNorth);
  EXPECT_EQ(nameInRecord(kNorth, record), "_a_______");
  EXPECT_EQ(nameInRecord(kSouth, record), sourceName(kSouth));
  EXPECT_EQ(nameInRecord("/a/gate", record), sourceName("/a/gate"));
  add(kSouth);
  EXPECT_EQ(nameInRecord(kNorth, record), sourceName(kNorth));
}

TEST(RuleFiles, WhatIsWrittenIsReadAndWhatSomebodyWroteByHandStaysBesideIt) {
  const QTemporaryDir folder;
  const QString deep = folder.filePath("deep/down/rules.toml"),
                path = folder.filePath("rules.toml");
  EXPECT_TRUE(readBook(deep) == monitor::RuleBook{}) << "there is none yet";
  monitor::RuleBook book = zoned("gate");
  monitor::Rule rule;
  rule.name = "cars";
  rule.metric = "zone.gate.area.car";
  rule.above = 0.1;
  book.rules.push_back(rule);
  writeBook(deep, book);
  EXPECT_TRUE(readBook(deep) == book);
  const QByteArray byHand = "# mine\n[[rule]]\nname = \"a\"\nlight = \"night\"\n";
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(byHand);
  file.close();
  writeBook(path, readBook(path));
  QFile before(path + ".before");
  ASSERT_TRUE(before.open(QIODevice::ReadOnly));
  EXPECT_EQ(before.readAll(), byHand);
  before.remove();
  writeBook(path, {});
  EXPECT_FALSE(QFileInfo::exists(path + ".before")) << "the app wrote what was there";
}

TEST(RuleFiles, WhatCannotBeReadOrWrittenSaysWhere) {
  const QTemporaryDir folder;
  QFile blocking(folder.filePath("file"));
  ASSERT_TRUE(blocking.open(QIODevice::WriteOnly) && blocking.write("[[rule]]\n") > 0);
  blocking.close();
  const auto sentenceOf = [](const auto& act) -> QString {
    try {
      act();
    } catch (const std::runtime_error& fault) {
      return QString::fromUtf8(fault.what());
    }
    return {};
  };
  EXPECT_TRUE(sentenceOf([&] { readBook(blocking.fileName()); }).contains("file:1"));
  const QString below = folder.filePath("file/rules.toml");
  EXPECT_TRUE(sentenceOf([&] { writeBook(below, {}); }).contains(below));
}

}  // namespace
}  // namespace mpm::gui
