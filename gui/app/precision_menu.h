// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/app/session.h"
#include "mpm/net.h"

namespace mpm::gui {

/// In which precision the net computes: one of those that the processor or GPU has, or whichever is
/// fastest and keeps the labels. Another one reads the model anew.
class PrecisionMenu : public QMenu {
  Q_OBJECT

 public:
  PrecisionMenu(Session& session, QWidget* parent)
      : QMenu(tr("&Precision"), parent), session_(session) {
    setToolTipsVisible(true);
    addChoice(tr("&Automatic"), kAutoPrecision)
        ->setToolTip(tr("The fastest that labels at least 99.5% of the pixels as float32 does"));
    addChoice(tr("float&32"), "fp32");
    addChoice(tr("&TF32"), "tf32");
    addChoice(tr("&bfloat16"), "bf16");
    addChoice(tr("&float16"), "fp16");
    addChoice(tr("&int8"), "int8");
    connect(&choices_, &QActionGroup::triggered, this,
            [this](QAction* choice) { session_.setPrecision(choice->data().toString()); });
    connect(&session_.live(), &Live::opened, this, &PrecisionMenu::showChoice);
    connect(&session_.live(), &Live::failed, this, &PrecisionMenu::showChoice);
  }

 private:
  QAction* addChoice(const QString& text, const QString& precision) {
    QAction* choice = choices_.addAction(addAction(text));
    choice->setCheckable(true);
    choice->setData(precision);
    return choice;
  }

  void showChoice() {
    const std::string device = session_.live().computing().device.toStdString();
    const QString asked = session_.live().options().precision;
    const QString runs = asked == kAutoPrecision
                             ? asked
                             : QString::fromStdString(precisionName(
                                   session_.live().computing().precision.toStdString()));
    for (QAction* choice : choices_.actions()) {
      const QString precision = choice->data().toString();
      choice->setVisible(precision == kAutoPrecision ||
                         hasPrecision(precision.toStdString(), device.empty() ? "cpu" : device));
      choice->setChecked(precision == runs);
    }
  }

  Session& session_;
  QActionGroup choices_{this};
};

}  // namespace mpm::gui
