// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/app/small_street.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {

/// Two cameras over one net, in the living window; the second has a zone and a rule.
class WallOfCameras : public ::testing::Test {
 protected:
  static constexpr const char* kFirst = "scene:?clock=600x&hour=12&size=160x120&seed=21";
  static constexpr const char* kSecond = "scene:?clock=600x&hour=12&size=120x160&seed=22";

  WallOfCameras() : window_(settings()) {
    window_.resize(1000, 700);
    window_.show();
  }
  ~WallOfCameras() override { QFile::remove(rulesFileOf(kSecond)); }
  Settings settings() const {
    monitor::RuleBook book;
    book.zones.push_back({"all", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}});
    monitor::Rule rule;
    rule.name = "road";
    rule.metric = "zone.all.area.road";
    rule.above = 0.0001;
    book.rules.push_back(rule);
    writeBook(rulesFileOf(kSecond), book);
    AppOptions options = smallStreet();
    options.record = folder_.filePath("wall.db");
    options.source = kFirst;
    Settings settings = withOptions({}, options);
    settings.teachFolder = folder_.filePath("taught");
    settings.live.beside = QStringList{kSecond};
    return settings;
  }
  bool bothShow() {
    return waitFor([&] {
      return window_.wall()->isVisible() && window_.live().engine() &&
             window_.live().engine()->sources() == 2 && window_.wall()->view(0)->result() &&
             window_.wall()->view(1)->result();
    });
  }

  // The button that ends the camera whose name ends so.
  QToolButton* remove(const QString& words) {
    for (QToolButton* button : window_.wall()->findChildren<QToolButton*>())
      if (button->accessibleName().startsWith("No longer watch") &&
          button->accessibleName().endsWith(words))
        return button;
    return nullptr;
  }

  QString state() const {
    QStringList words;
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>()) words << label->text();
    return words.join('|');
  }

  const QTemporaryDir folder_;
  MainWindow window_;
};

}  // namespace mpm::gui
