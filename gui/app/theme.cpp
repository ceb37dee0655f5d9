// SPDX-License-Identifier: Apache-2.0
#include "gui/app/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <QToolTip>

namespace mpm::gui {
namespace {

QPalette paletteOf(const QColor& button, const QColor& window, const QColor& base,
                   const QColor& highlight, const QColor& link) {
  QPalette palette(button, window);
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::AlternateBase, button);
  palette.setColor(QPalette::Highlight, highlight);
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::Link, link);
  return palette;
}

}  // namespace

void applyTheme(Theme theme) {
  static const QString own = QApplication::style()->name();
  QApplication::setStyle(
      QStyleFactory::create(theme == Theme::system ? own : QStringLiteral("Fusion")));
  const QPalette dark =
      paletteOf({45, 47, 51}, {37, 39, 43}, {30, 32, 35}, {61, 126, 200}, {110, 170, 240});
  const QPalette light =
      paletteOf({239, 239, 239}, {246, 246, 246}, Qt::white, {38, 103, 180}, {38, 103, 180});
  const QPalette chosen = theme == Theme::dark    ? dark
                          : theme == Theme::light ? light
                                                  : QApplication::style()->standardPalette();
  QApplication::setPalette(chosen);
  QPalette boxes = chosen;  // a frame made from a dark window's colour is not to be seen
  if (theme == Theme::dark) boxes.setColor(QPalette::Base, QColor(92, 95, 102));
  QApplication::setPalette(boxes, "QCheckBox");
  QPalette tips = chosen;  // explanations are tips, too
  tips.setColor(QPalette::ToolTipBase, chosen.color(QPalette::Base));
  tips.setColor(QPalette::ToolTipText, chosen.color(QPalette::Text));
  QToolTip::setPalette(tips);
}

}  // namespace mpm::gui
