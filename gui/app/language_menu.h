// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>

namespace mpm::gui {

/// The languages to choose from, each named in itself, and the system's.
class LanguageMenu : public QMenu {
  Q_OBJECT

 public:
  explicit LanguageMenu(const QString& chosen, QWidget* parent = nullptr);

 signals:
  void languageChosen(const QString& code);  ///< empty: the system's
};

}  // namespace mpm::gui
