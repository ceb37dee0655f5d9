// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "gui/app/small_street.h"
#include "gui/app/window_parts.h"
#include "gui/hands.h"
#include "in_project.h"

namespace mpm::gui {

/// Returns a model that loads quickly; no other model's frames suit it.
inline QString smallModel() {
  return QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
}

/// A window that watches, with a user's actions; there is none until it is opened.
class LivingWindow : public ::testing::Test {
 protected:
  static constexpr QSize kUsual{1000, 700};
  using Watching = std::shared_ptr<monitor::Engine>;

  MainWindow& open(const Settings& settings, const QSize& size = kUsual) {
    window_.emplace(settings);
    window_->resize(size);
    window_->show();
    return *window_;
  }
  /// Returns the street's settings, except for what `set` changes.
  static Settings street(const std::function<void(AppOptions&)>& set = {},
                         const Settings& remembered = {}) {
    AppOptions options = smallStreet();
    if (set) set(options);
    return withOptions(remembered, options);
  }
  MainWindow& window() { return *window_; }
  const MainWindow& window() const { return *window_; }
  Session& session() { return window_->session(); }
  Live& live() { return window_->live(); }
  Watching engine() { return live().engine(); }
  ViewDeck& deck() { return *window_->deck(); }
  Wall& wall() { return *window_->wall(); }
  EventList& events() { return window_->events()->list(); }

  /// Waits until this many cameras are watched and shown.
  bool isLive(std::size_t sources = 1) {
    return waitFor([&] {
      if (!engine() || live().isOpening() || live().sources() != sources) return false;
      for (std::size_t i = 0; sources > 1 && i < sources; ++i)
        if (!wall().view(static_cast<int>(i))->result()) return false;
      return sources > 1 || (engine()->latest() && !deck().exported().isNull());
    });
  }
  /// Waits for the first camera's address.
  bool shows(const QString& address) {
    return waitFor([&] {
      return engine() && QString::fromStdString(engine()->source().address.text) == address &&
             live().newest() && !deck().exported().isNull();
    });
  }
  bool opens(const QString& address) {
    session().openSource(address);
    return shows(address);
  }
  /// Waits until another engine has a frame.
  bool beginsAnew(const Watching& before) {
    return waitFor([&] { return engine() && engine() != before && engine()->latest(); });
  }
  bool isOpened() {
    return waitFor([&] { return !live().isOpening(); });
  }

  QAction* action(const QString& text) {
    for (QAction* menu : window_->menuBar()->actions())
      for (QAction* one : menu->menu()->actions())
        if (QString(one->text()).remove('&') == text) return one;
    ADD_FAILURE() << "no action " << qPrintable(text);
    return nullptr;
  }
  void choose(const QString& text) {
    EXPECT_TRUE(hands::choose(*window_, text)) << qPrintable(text);
  }
  void press(const char* key) { ASSERT_TRUE(hands::press(*window_, QKeySequence(key))); }
  QString said() const { return window_->statusBar()->currentMessage(); }
  bool says(const QString& words) {
    const bool isSaid = waitFor([&] { return said().contains(words); });
    EXPECT_TRUE(isSaid) << qPrintable(words + ": " + said());
    return isSaid;
  }
  /// Returns the permanent text of the status line.
  QString state() const {
    QStringList words;
    for (const QLabel* label : window_->statusBar()->findChildren<QLabel*>())
      if (!label->isHidden()) words << label->text();
    return words.join('|');
  }
  bool becomes(const QString& words) {
    const bool is = waitFor([&] { return state().contains(words); });
    EXPECT_TRUE(is) << qPrintable(words + ": " + state());
    return is;
  }
  bool compares() const { return state().contains("This frame: "); }
  /// Waits until it is among the events.
  bool happened(const QString& words) {
    return waitFor([&] { return rowOf(words) >= 0; });
  }
  int rowOf(const QString& words) {
    for (int row = 0; row < events().rowCount(); ++row)
      if (events().words(row).contains(words)) return row;
    return -1;
  }
  void clickOnEvent(int row) {
    QTableView* view = window_->events()->view();
    ASSERT_TRUE(waitFor([&] { return view->isVisible(); }));
    view->scrollTo(events().index(row, 2));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      view->visualRect(events().index(row, 2)).center());
  }
  bool isKnown(const char* tileName) {
    return waitFor([&] { return tile(*window_, tileName)->figure() != "–"; });
  }
  /// Returns a field of Study's bar: schedule, stage or opacity.
  template <typename Widget = QLineEdit>
  Widget* inBar() const {
    return window_->findChild<QToolBar*>("MergingBar")->findChild<Widget*>();
  }
  void mergeBefore(const QString& blocks) { ASSERT_TRUE(hands::type(inBar(), blocks)); }
  /// Presses the button of Tune, once there is a frame to measure with.
  bool tune() {
    if (!panel(*window_, "Tune")->isVisible()) choose("Tune");
    return waitFor([&] {
      return hands::click(panel(*window_, "Tune")->findChild<QPushButton*>()) &&
             session().isMeasuring();
    });
  }
  void drop(const QUrl& url) {
    QMimeData data;
    data.setUrls({url});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&*window_, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&*window_, &event);
  }

  /// Returns a visible view.
  FrameView* view() const {
    for (FrameView* each : window_->deck()->findChildren<FrameView*>())
      if (each->isVisible()) return each;
    ADD_FAILURE() << "no view is seen";
    return nullptr;
  }
  /// Clicks three corners, which Enter makes a zone.
  void drawCorners() {
    for (const QPoint& away : {QPoint(-60, -60), QPoint(60, -60), QPoint(0, 60)})
      QTest::mouseClick(view(), Qt::LeftButton, {}, view()->rect().center() + away);
  }
  bool drawsZones() const {
    const auto views = window_->deck()->findChildren<FrameView*>();
    return std::any_of(views.begin(), views.end(),
                       [](const FrameView* each) { return each->isZoneEditing(); });
  }

  /// Answers the next dialog of this kind; `answered_` counts them.
  template <typename Dialog>
  void answer(const std::function<void(Dialog&)>& how) {
    auto* timer = new QTimer(&*window_);
    QObject::connect(timer, &QTimer::timeout, &*window_, [this, timer, how] {
      auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      timer->deleteLater();
      ++answered_;
      how(*dialog);
    });
    timer->start(20);
  }
  void answerFile(const QString& path) {
    answer<QFileDialog>([path](QFileDialog& dialog) {
      dialog.findChild<QLineEdit*>("fileNameEdit")->setText(path);
      QMetaObject::invokeMethod(&dialog, "accept");
    });
  }
  QString fileOf(const QString& name, const QByteArray& bytes) const {
    QFile file(folder_.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    return file.fileName();
  }

  QTemporaryDir folder_;
  std::optional<MainWindow> window_;
  int answered_ = 0;
};

/// Watches the drawn street, with a record.
class Window : public LivingWindow {
 protected:
  explicit Window(const QStringList& beside = {}) {
    QFile::remove(rulesFileOf(kSmallStreet));
    Settings settings =
        street([&](AppOptions& options) { options.record = folder_.filePath("record.sqlite"); });
    settings.live.beside = beside;
    open(settings);
  }
};

/// Two cameras over one net; the second has a zone and a rule.
class WallOfCameras : public LivingWindow {
 protected:
  static constexpr const char* kFirst = "scene:?clock=600x&hour=12&size=160x120&seed=21";
  static constexpr const char* kSecond = "scene:?clock=600x&hour=12&size=120x160&seed=22";

  WallOfCameras() {
    monitor::RuleBook book;
    book.zones.push_back({"all", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}});
    monitor::Rule rule;
    rule.name = "road";
    rule.metric = "zone.all.area.road";
    rule.above = 0.0001;
    book.rules.push_back(rule);
    writeBook(rulesFileOf(kSecond), book);
    Settings settings = street([&](AppOptions& options) {
      options.record = folder_.filePath("wall.db");
      options.source = kFirst;
    });
    settings.teachFolder = folder_.filePath("taught");
    settings.live.beside = QStringList{kSecond};
    open(settings);
    EXPECT_TRUE(isLive(2) && wall().isVisible());
  }
  ~WallOfCameras() override { QFile::remove(rulesFileOf(kSecond)); }
  static QString another(int seed) {
    return QString(kSecond).replace("seed=22", "seed=" + QString::number(seed));
  }
  /// Waits until nothing is opening and these sources are watched.
  bool watches(const QStringList& sources) {
    const bool are = waitFor(
        [&] { return !live().isOpening() && engine() && live().options().sources() == sources; });
    EXPECT_TRUE(are) << qPrintable(live().options().sources().join(' '));
    return are;
  }
  bool titleHas(const char* words) const { return window().windowTitle().contains(words); }
  void bringLarge(int source) { QTest::keyClick(wall().view(source), Qt::Key_Return); }
  /// Returns the button that ends the camera whose name ends like this.
  QToolButton* remove(const QString& words) {
    for (QToolButton* button : wall().findChildren<QToolButton*>())
      if (button->accessibleName().startsWith("Stop watching") &&
          button->accessibleName().endsWith(words))
        return button;
    return nullptr;
  }
};

}  // namespace mpm::gui
