// SPDX-License-Identifier: Apache-2.0
#include "gui/app/language_menu.h"

#include <QActionGroup>

#include "gui/app/language.h"

namespace mpm::gui {

LanguageMenu::LanguageMenu(const QString& chosen, QWidget* parent)
    : QMenu(tr("&Language"), parent) {
  auto* group = new QActionGroup(this);
  const auto add = [&](const QString& title, const QString& code) {
    QAction* action = addAction(title);
    action->setCheckable(true);
    action->setChecked(code == chosen);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, code] { emit languageChosen(code); });
  };
  add(tr("As the &system"), {});
  addSeparator();
  for (const QString& code : languages()) add(languageName(code), code);
}

}  // namespace mpm::gui
