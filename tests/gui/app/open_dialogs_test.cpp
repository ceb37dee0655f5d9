// SPDX-License-Identifier: Apache-2.0
#include "gui/app/open_dialogs.h"

#include <gtest/gtest.h>

#include "gui/app/settings.h"
#include "gui/app/window_parts.h"
#include "gui/hands.h"
#include "models/street/street_model.h"

namespace mpm::gui {
namespace {

const QString kStreetAddress = "scene:?size=160x120&seed=3";

class SourceDialogTest : public ::testing::Test {
 protected:
  SourceDialogTest() { open("scene:", {"rtsp://user:topsecret@camera/s"}); }
  template <class... Others>
  void open(const QString& current, const QStringList& recent, Others&&... others) {
    dialog_ = std::make_unique<SourceDialog>(current, recent, std::forward<Others>(others)...);
    dialog_->show();
  }
  QPushButton* button(const QString& text) {
    for (auto* one : dialog_->findChildren<QPushButton*>())
      if (QString(one->text()).remove('&') == text) return one;
    return nullptr;
  }
  QLineEdit* line(const char* name) { return named<QLineEdit>(*dialog_, name); }
  void type(const QString& address) { dialog_->findChild<QLineEdit*>()->setText(address); }
  template <class Is>
  bool anyLabel(const Is& is) {
    return waitFor([&] {
      const auto labels = dialog_->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), is);
    });
  }
  bool says(const QString& words) {
    return anyLabel([&](const QLabel* label) { return label->text().contains(words); });
  }
  bool shows(int width) {
    return anyLabel([&](const QLabel* label) { return label->pixmap().width() == width; });
  }
  QListWidgetItem* clickOn(const QString& words) {
    auto* list = dialog_->findChild<QListWidget*>();
    QListWidgetItem* item = list->findItems(words, Qt::MatchContains).value(0);
    if (item != nullptr)
      QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(item).center());
    return item;
  }

  std::unique_ptr<SourceDialog> dialog_;
};

TEST_F(SourceDialogTest, AnAddressIsTestedWhichTellsWhatComesOrWhyNothingDoes) {
  for (const auto& [address, isOne] :
       {std::pair("scene:?seed=banana", false), {"", false}, {"scene:?size=160x120", true}}) {
    type(address);
    EXPECT_EQ(button("Test")->isEnabled(), isOne) << address;
  }
  type("scene:?seed=banana");
  EXPECT_TRUE(says("banana"));
  type("scene:?size=160x120");
  button("Test")->click();
  EXPECT_TRUE(says("160 x 120 arrive, about"));
  type("/nowhere/video.mp4");
  button("Test")->click();
  EXPECT_TRUE(says("/nowhere/video.mp4"));
  type("rtsp://127.0.0.1:9/stream");
  button("Test")->click();
  ASSERT_NE(button("Stop"), nullptr);
  button("Stop")->click();
  EXPECT_TRUE(says("Stopped."));
  EXPECT_NE(button("Test"), nullptr);
}

// A file's name must not widen it beyond the screen.
TEST_F(SourceDialogTest, ALongNameMakesItNoWider) {
  const int before = dialog_->minimumSizeHint().width();
  type("/videos/" + QString("gate-").repeated(40) + QString("x").repeated(200) + ".mp4");
  button("Test")->click();
  ASSERT_TRUE(says("Opening /videos/gate-"));
  EXPECT_LE(dialog_->minimumSizeHint().width(), std::max(before, 780));
}

TEST_F(SourceDialogTest, WhatIsChosenIsShownBeforeItIsOpenedAndListedWithoutItsSecret) {
  EXPECT_NE(clickOn("camera/s"), nullptr);
  EXPECT_EQ(clickOn("topsecret"), nullptr);
  open("", {kStreetAddress, "/nowhere/video.mp4"});
  clickOn("seed=3");
  EXPECT_TRUE(shows(160));
  clickOn("nowhere");
  EXPECT_TRUE(anyLabel([](const QLabel* one) {
    return one->text().contains("/nowhere/video.mp4") && one->text().size() > 30;
  })) << "the source's own sentence";
}

// Guards against dropping the last letter, which names a missing file.
TEST_F(SourceDialogTest, AFileWhoseNameEndsInABlankIsOpened) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("gate.png ");
  type(path);
  EXPECT_EQ(dialog_->address(), folder.filePath("gate.png")) << "as pasted: there is no such file";
  ASSERT_TRUE(QImage(160, 120, QImage::Format_RGB32).save(path, "PNG"));
  EXPECT_EQ(dialog_->address(), path);
}

TEST_F(SourceDialogTest, AFolderWhosePicturesNameTheirTimesMayBeReplayed) {
  const QTemporaryDir folder;
  const QImage picture(64, 48, QImage::Format_RGB32);
  for (const char* name : {"20240613T000000Z.png", "gate.png"}) {
    ASSERT_TRUE(picture.save(folder.filePath(name)));
    type("scene:");
    EXPECT_FALSE(dialog_->replays());
    type(folder.path());
    EXPECT_EQ(dialog_->replays(), QString(name) != "gate.png") << name;
  }
}

// A camera is not opened at every key.
TEST_F(SourceDialogTest, WhatIsTypedIsShownOnceTypingHasEnded) {
  QStringList opened;
  open("", QStringList(), QVariantMap(), nullptr, [&](const QString& address) {
    opened << address;
    return std::make_unique<monitor::Capture>(monitor::parseSourceAddress(address.toStdString()),
                                              monitor::CaptureOptions{});
  });
  ASSERT_NE(line("Address"), nullptr);
  QTest::keyClicks(line("Address"), kStreetAddress);
  EXPECT_EQ(opened, QStringList());
  EXPECT_TRUE(shows(160));
  EXPECT_EQ(opened, QStringList{kStreetAddress});
}

// The name is above the address.
TEST_F(SourceDialogTest, ASourceIsNamedAndFoundByItsName) {
  open("scene:", {kStreetAddress}, QVariantMap{{sourceName("scene:"), "a street"}});
  const QListWidgetItem* item = clickOn("seed=3");
  QLineEdit* name = line("Name");
  ASSERT_TRUE(item != nullptr && name != nullptr && name->text().isEmpty());
  QStringList given;
  QObject::connect(dialog_.get(), &SourceDialog::named, dialog_.get(),
                   [&](const QString& address, const QString& words) {
                     given = {address, words};
                   });
  QTest::mouseClick(name, Qt::LeftButton);
  QTest::keyClicks(name, "gate");
  EXPECT_EQ(item->text(), "gate\n" + kStreetAddress);
  dialog_->reject();
  EXPECT_EQ(given, QStringList()) << "nothing is kept of a dialog that is cancelled";
  dialog_->show();
  EXPECT_EQ(dialog_->address(), kStreetAddress);
  type("scene:");
  EXPECT_EQ(name->text(), "a street");
  type("scene:?seed=banana");
  EXPECT_FALSE(name->isEnabled());
  type(kStreetAddress);
  dialog_->accept();
  EXPECT_EQ(given, (QStringList{kStreetAddress, "gate"}));
}

TEST_F(SourceDialogTest, WhatIsWatchedIsShownWithoutOpeningItOnceMore) {
  dialog_->setWatched("scene:", {}, 0);
  EXPECT_TRUE(says("its first picture has not arrived yet"));
  dialog_->setWatched("scene:", cv::Mat(60, 80, CV_8UC3, cv::Scalar(200, 100, 50)), 12.5);
  EXPECT_TRUE(says("It is being watched. Pictures of 80 x 60") && shows(80));
  type("scene:?seed=2");
  for (const QLabel* one : dialog_->findChildren<QLabel*>()) EXPECT_TRUE(one->pixmap().isNull());
}

// Opens on request, and then has one frame. Before that it waits, or fails.
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

TEST_F(SourceDialogTest, ALateSourceSaysWhatItWaitsForAndIsShownHoweverLate) {
  for (const bool fails : {false, true}) {
    std::promise<void> opens;
    const std::shared_future<void> waiting = opens.get_future().share();
    open("scene:", QStringList(), QVariantMap(), nullptr, [&](const QString&) {
      return std::make_unique<monitor::Capture>(
          "gate", [=] { return std::make_unique<LateReader>(waiting, fails); },
          monitor::CaptureOptions{});
    });
    button("Test")->click();
    EXPECT_TRUE(says("Opening ..."));
    EXPECT_TRUE(says(fails ? "No picture; trying again." : "Still opening after "));
    opens.set_value();
    EXPECT_TRUE(shows(80));
  }
}

class ModelDialogTest : public ::testing::Test {
 protected:
  static QString street() { return QString::fromStdString(streetModel()); }
  QString row(const QString& title) const {
    const auto* label = named<QLabel>(dialog_, title);
    return label != nullptr ? label->text() : QString();
  }
  // Returns the visible titles.
  QStringList rows() const {
    const auto* card = dialog_.findChild<QFormLayout*>();
    QStringList titles;
    for (int row = 0; row < card->rowCount(); ++row) {
      const QWidget* title = card->itemAt(row, QFormLayout::LabelRole)->widget();
      if (card->isRowVisible(row)) titles << qobject_cast<const QLabel*>(title)->text();
    }
    return titles;
  }
  bool canOpen() const {
    return dialog_.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open)->isEnabled();
  }
  ModelDialog dialog_{street(), {street()}};
};

TEST_F(ModelDialogTest, ShowsWhatAModelIsAndOpensNoFileThatIsNone) {
  EXPECT_EQ(rows(), QStringList({"File", "Speed here"})) << "before its file is read";
  EXPECT_EQ(dialog_.path(), street());
  auto* list = dialog_.findChild<QListWidget*>();
  EXPECT_EQ(list->count(), 1) << "each once";
  ASSERT_TRUE(waitFor([&] { return !row("Classes").isEmpty(); }));
  EXPECT_TRUE(row("Classes").startsWith("12: sky, "));
  EXPECT_EQ(row("Merging"), "Tokens can merge before any of its 12 blocks.");
  EXPECT_TRUE(row("Trained on").startsWith("drawn streets of mpm scene"));
  EXPECT_TRUE(row("Trained on").endsWith("Licence: Apache-2.0."));
  EXPECT_TRUE(row("Network").contains("512 x 512"));
  EXPECT_TRUE(canOpen());
  const QTemporaryDir folder;
  QFile none(folder.filePath("none.onnx"));
  ASSERT_TRUE(none.open(QIODevice::WriteOnly) && none.write("no model") > 0);
  none.close();
  for (const QString& path : {none.fileName(), street(), none.fileName()}) {
    dialog_.offer(path);
    EXPECT_EQ(dialog_.path(), path);
  }
  EXPECT_EQ(list->count(), 2) << "each once";
  ASSERT_TRUE(waitFor([&] { return !canOpen(); }));
  EXPECT_TRUE(row("File").contains("none.onnx"));
  EXPECT_EQ(rows(), QStringList({"File", "Speed here"})) << "none that is empty";
}

}  // namespace
}  // namespace mpm::gui
