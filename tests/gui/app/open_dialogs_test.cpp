// SPDX-License-Identifier: Apache-2.0
#include "gui/app/open_dialogs.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFormLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "gui/app/settings.h"
#include "gui/wait_for.h"
#include "models/street/street_model.h"

namespace mpm::gui {
namespace {

class SourceDialogTest : public ::testing::Test {
 protected:
  SourceDialogTest() : dialog_("scene:", {"rtsp://user:topsecret@camera/s"}) { dialog_.show(); }

  QPushButton* button(const QString& text) {
    for (auto* one : dialog_.findChildren<QPushButton*>()) {
      if (QString(one->text()).remove('&') == text) return one;
    }
    return nullptr;
  }
  void type(const QString& address) { dialog_.findChild<QLineEdit*>()->setText(address); }
  bool says(const QString& words) {
    return waitFor([&] {
      for (const QLabel* label : dialog_.findChildren<QLabel*>()) {
        if (label->text().contains(words)) return true;
      }
      return false;
    });
  }

  SourceDialog dialog_;
};

TEST_F(SourceDialogTest, AnAddressThatIsNoneCannotBeTestedOrOpened) {
  type("scene:?seed=banana");
  EXPECT_TRUE(says("banana"));
  EXPECT_FALSE(button("Test")->isEnabled());
  type("");
  EXPECT_FALSE(button("Test")->isEnabled());
  type("scene:");
  EXPECT_TRUE(button("Test")->isEnabled());
}

// It grew beyond the screen with a file's name.
TEST_F(SourceDialogTest, ALongNameMakesItNoWider) {
  const int before = dialog_.minimumSizeHint().width();
  type("/videos/" + QString("gate-").repeated(40) + QString("x").repeated(200) + ".mp4");
  button("Test")->click();
  ASSERT_TRUE(says("Opening /videos/gate-"));
  EXPECT_LE(dialog_.minimumSizeHint().width(), std::max(before, 780));
}

TEST_F(SourceDialogTest, ATestTellsWhatComes) {
  type("scene:?size=160x120");
  button("Test")->click();
  EXPECT_TRUE(says("160 x 120 arrive, about"));
  EXPECT_NE(button("Test"), nullptr);
}

TEST_F(SourceDialogTest, WhatIsChosenIsShownBeforeItIsOpened) {
  SourceDialog dialog("", {"scene:?size=160x120&seed=3", "/nowhere/video.mp4"});
  dialog.show();
  auto* list = dialog.findChild<QListWidget*>();
  const auto choose = [&](const QString& words) {
    for (int i = 0; i < list->count(); ++i)
      if (list->item(i)->text().contains(words))
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualItemRect(list->item(i)).center());
  };
  const auto label = [&](const auto& holds) {
    const auto labels = dialog.findChildren<QLabel*>();
    return waitFor([&] { return std::any_of(labels.begin(), labels.end(), holds); });
  };
  choose("seed=3");
  EXPECT_TRUE(label([](const QLabel* one) { return one->pixmap().width() == 160; }));
  choose("nowhere");
  EXPECT_TRUE(label([](const QLabel* one) {
    return one->text().contains("/nowhere/video.mp4") && one->text().size() > 30;
  })) << "the source's own sentence";
}

// Seen: its last letter was dropped, and there is no such file.
TEST_F(SourceDialogTest, AFileWhoseNameEndsInABlankIsOpened) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("gate.png ");
  type(path);
  EXPECT_EQ(dialog_.address(), folder.filePath("gate.png")) << "as pasted: there is no such file";
  ASSERT_TRUE(QImage(160, 120, QImage::Format_RGB32).save(path, "PNG"));
  EXPECT_EQ(dialog_.address(), path);
}

// A camera is not asked at every key.
TEST_F(SourceDialogTest, WhatIsTypedIsShownOnceTypingHasEnded) {
  const QString street = "scene:?size=160x120&seed=3";
  QStringList opened;
  SourceDialog dialog("", {}, {}, nullptr, [&](const QString& address) {
    opened << address;
    return std::make_unique<monitor::Capture>(monitor::parseSourceAddress(address.toStdString()),
                                              monitor::CaptureOptions{});
  });
  dialog.show();
  QLineEdit* address = nullptr;
  for (QLineEdit* line : dialog.findChildren<QLineEdit*>())
    if (line->accessibleName() == "Address") address = line;
  ASSERT_NE(address, nullptr);
  QTest::keyClicks(address, street);
  EXPECT_EQ(opened, QStringList());
  EXPECT_TRUE(waitFor([&] {
    const auto labels = dialog.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [](const QLabel* one) { return one->pixmap().width() == 160; });
  }));
  EXPECT_EQ(opened, QStringList{street});
}

// By a name, which stands above the address.
TEST_F(SourceDialogTest, ASourceIsNamedAndFoundByItsName) {
  const QString street = "scene:?size=160x120&seed=3";
  SourceDialog dialog("scene:", {street}, {{sourceName("scene:"), "a street"}});
  dialog.show();
  auto* list = dialog.findChild<QListWidget*>();
  QListWidgetItem* item = list->findItems("seed=3", Qt::MatchContains).value(0);
  ASSERT_NE(item, nullptr);
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(item).center());
  QLineEdit* name = nullptr;
  for (QLineEdit* line : dialog.findChildren<QLineEdit*>())
    if (line->accessibleName() == "Name") name = line;
  ASSERT_TRUE(name != nullptr && name->text().isEmpty());
  QStringList given;
  QObject::connect(&dialog, &SourceDialog::named, &dialog,
                   [&](const QString& address, const QString& words) {
                     given = {address, words};
                   });
  QTest::mouseClick(name, Qt::LeftButton);
  QTest::keyClicks(name, "gate");
  EXPECT_EQ(item->text(), "gate\n" + street);
  dialog.reject();
  EXPECT_EQ(given, QStringList()) << "nothing is kept of a dialog that is cancelled";
  dialog.show();
  EXPECT_EQ(dialog.address(), street);
  dialog.findChild<QLineEdit*>()->setText("scene:");
  EXPECT_EQ(name->text(), "a street");
  dialog.findChild<QLineEdit*>()->setText("scene:?seed=banana");
  EXPECT_FALSE(name->isEnabled());
  dialog.findChild<QLineEdit*>()->setText(street);
  dialog.accept();
  EXPECT_EQ(given, (QStringList{street, "gate"}));
}

TEST_F(SourceDialogTest, WhatIsWatchedIsShownWithoutOpeningItOnceMore) {
  const cv::Mat picture(60, 80, CV_8UC3, cv::Scalar(200, 100, 50));
  dialog_.setWatched("scene:", {}, 0);
  EXPECT_TRUE(says("its first picture has not arrived yet"));
  dialog_.setWatched("scene:", picture, 12.5);
  EXPECT_TRUE(says("It is being watched. Pictures of 80 x 60"));
  type("scene:?seed=2");
  EXPECT_FALSE(dialog_.findChildren<QLabel*>().isEmpty());
  for (const QLabel* one : dialog_.findChildren<QLabel*>()) EXPECT_TRUE(one->pixmap().isNull());
}

// Opens when it is told to, and has one picture then. Until that it waits, or fails.
class LateReader : public monitor::Reader {
 public:
  LateReader(std::shared_future<void> opens, bool fails)
      : opens_(std::move(opens)), fails_(fails) {}
  bool open() override {
    if (fails_) return opens_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    opens_.wait();
    return true;
  }
  monitor::ReadStatus read(monitor::Shot& shot) override {
    if (std::exchange(given_, true)) return monitor::ReadStatus::ended;
    shot.picture = cv::Mat(60, 80, CV_8UC3, cv::Scalar(200, 100, 50));
    return monitor::ReadStatus::frame;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return true; }

 private:
  std::shared_future<void> opens_;
  bool fails_, given_ = false;
  std::string fault_ = "The gate is shut.";
};

class LateSource : public ::testing::TestWithParam<bool> {
 protected:
  LateSource() : dialog_("scene:", {}, {}, nullptr, [this](const QString&) { return capture(); }) {
    dialog_.show();
    for (auto* button : dialog_.findChildren<QPushButton*>())
      if (button->text() == "&Test") button->click();
  }
  ~LateSource() override {
    if (!opened_) open();  // readers that wait end
  }
  void open() {
    opened_ = true;
    opens_.set_value();
  }
  std::unique_ptr<monitor::Capture> capture() const {
    const bool fails = GetParam();
    return std::make_unique<monitor::Capture>(
        "gate", [opens = waiting_, fails] { return std::make_unique<LateReader>(opens, fails); },
        monitor::CaptureOptions{});
  }
  const QLabel* picture() const {
    for (const QLabel* label : dialog_.findChildren<QLabel*>())
      if (label->accessibleName() == "What it shows") return label;
    return nullptr;
  }

  std::promise<void> opens_;
  std::shared_future<void> waiting_ = opens_.get_future().share();
  bool opened_ = false;
  SourceDialog dialog_;
};

TEST_P(LateSource, SaysWhatItWaitsForAndIsShownHoweverLate) {
  EXPECT_EQ(picture()->text(), "Opening ...");
  const QString words = GetParam() ? "No picture; trying again." : "Still opening after ";
  EXPECT_TRUE(waitFor([&] { return picture()->text().startsWith(words); }));
  open();
  EXPECT_TRUE(waitFor([&] { return picture()->pixmap().width() == 80; }));
}

INSTANTIATE_TEST_SUITE_P(WaitsOrFails, LateSource, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "ItFails" : "ItWaits"; });

TEST_F(SourceDialogTest, ATestThatFailsSaysWhy) {
  type("/nowhere/video.mp4");
  button("Test")->click();
  EXPECT_TRUE(says("/nowhere/video.mp4"));
}

TEST_F(SourceDialogTest, ATestCanBeStopped) {
  type("rtsp://127.0.0.1:9/stream");
  button("Test")->click();
  ASSERT_NE(button("Stop"), nullptr);
  button("Stop")->click();
  EXPECT_TRUE(says("Stopped."));
}

TEST_F(SourceDialogTest, WhatWasWatchedIsListedWithoutItsSecret) {
  const auto* list = dialog_.findChild<QListWidget*>();
  bool found = false;
  for (int i = 0; i < list->count(); ++i) {
    EXPECT_FALSE(list->item(i)->text().contains("topsecret"));
    found = found || list->item(i)->text().contains("camera/s");
  }
  EXPECT_TRUE(found);
}

QString rowOf(const ModelDialog& dialog, const QString& title) {
  for (const QLabel* label : dialog.findChildren<QLabel*>())
    if (label->accessibleName() == title) return label->text();
  return {};
}

// The titles that stand there.
QStringList rowsOf(const ModelDialog& dialog) {
  const auto* card = dialog.findChild<QFormLayout*>();
  QStringList titles;
  for (int row = 0; row < card->rowCount(); ++row) {
    if (!card->isRowVisible(row)) continue;
    const QWidget* title = card->itemAt(row, QFormLayout::LabelRole)->widget();
    titles << qobject_cast<const QLabel*>(title)->text();
  }
  return titles;
}

const QPushButton* openButton(const ModelDialog& dialog) {
  return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
}

TEST(ModelDialog, ShowsWhatAModelIs) {
  const QString street = QString::fromStdString(streetModel());
  const ModelDialog dialog(street, {street});
  EXPECT_EQ(rowsOf(dialog), QStringList({"File", "Speed here"})) << "before its file is read";
  EXPECT_EQ(dialog.path(), street);
  EXPECT_EQ(dialog.findChild<QListWidget*>()->count(), 1) << "each once";
  ASSERT_TRUE(waitFor([&] { return !rowOf(dialog, "Classes").isEmpty(); }));
  EXPECT_TRUE(rowOf(dialog, "Classes").startsWith("12: sky, "));
  EXPECT_EQ(rowOf(dialog, "Merging"), "Tokens merge before any of its 12 blocks.");
  EXPECT_TRUE(rowOf(dialog, "Trained on").startsWith("drawn streets of mpm scene"));
  EXPECT_TRUE(rowOf(dialog, "Trained on").endsWith("Licence: Apache-2.0."));
  EXPECT_TRUE(rowOf(dialog, "Network").contains("512 x 512"));
  EXPECT_TRUE(openButton(dialog)->isEnabled());
}

TEST(ModelDialog, AFileThatIsNoModelIsNotOpened) {
  const QTemporaryDir folder;
  const QString none = folder.filePath("none.onnx");
  QFile file(none);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("no model");
  file.close();
  ModelDialog dialog(QString::fromStdString(streetModel()), {});
  dialog.offer(none);
  EXPECT_EQ(dialog.path(), none);
  dialog.offer(dialog.findChild<QListWidget*>()->item(0)->data(Qt::UserRole).toString());
  dialog.offer(none);
  EXPECT_EQ(dialog.findChild<QListWidget*>()->count(), 2) << "each once";
  EXPECT_EQ(dialog.path(), none);
  ASSERT_TRUE(waitFor([&] { return !openButton(dialog)->isEnabled(); }));
  EXPECT_TRUE(rowOf(dialog, "File").contains("none.onnx"));
  EXPECT_EQ(rowsOf(dialog), QStringList({"File", "Speed here"})) << "none that is empty";
}

}  // namespace
}  // namespace mpm::gui
