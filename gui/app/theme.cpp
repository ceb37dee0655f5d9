// SPDX-License-Identifier: Apache-2.0
#include "gui/app/settings.h"

#include <QApplication>
#include <QEvent>
#include <QMenu>
#include <QPainter>
#include <QPalette>
#include <QPointer>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolTip>
#include <utility>

#include "gui/plot/colours.h"

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

// Draws rims around input fields and around boxes in menus. Fusion of Qt 6.4 derives them by
// darkening the window's colour, so on a dark window the edges of fields are invisible. The checked
// one of several buttons is invisible as well, so it gets a colour here.
class Rims : public QProxyStyle {
 public:
  using QProxyStyle::QProxyStyle;

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool isBox =
        element == PE_IndicatorCheckBox && qobject_cast<const QMenu*>(widget) != nullptr;
    if (isBox || element == PE_FrameLineEdit) drawRim(*option, painter);
    if (element == PE_PanelButtonCommand && (option->state & State_On))
      drawChosen(*option, painter);
  }

  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox) drawRim(*option, painter);
  }

 private:
  static void drawChosen(const QStyleOption& option, QPainter* painter) {
    QColor colour = option.palette.color(QPalette::Highlight);
    colour.setAlphaF(0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 2, 2);
    painter->restore();
  }

  static void drawRim(const QStyleOption& option, QPainter* painter) {
    const QPalette& colours = option.palette;
    if (!isDark(colours) || (option.state & State_HasFocus)) return;  // which has a rim of its own
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(mixed(colours.color(QPalette::Base), colours.color(QPalette::Text), 0.35));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
  }
};

// Sets what the application's palette lacks, again after each change. With the system's theme that
// palette is the desktop's.
class Beside : public QObject {
 public:
  using QObject::QObject;

  static void bring() {
    static bool bringing = false;  // each palette that is set here is told of as well
    if (std::exchange(bringing, true)) return;
    QPalette boxes = QApplication::palette();  // a frame made from a dark window's colour is not
    if (isDark(boxes)) boxes.setColor(QPalette::Base, QColor(92, 95, 102));  // to be seen
    QApplication::setPalette(boxes, "QCheckBox");
    QPalette tips = QApplication::palette();  // explanations are tips, too
    tips.setColor(QPalette::ToolTipBase, tips.color(QPalette::Base));
    tips.setColor(QPalette::ToolTipText, tips.color(QPalette::Text));
    QToolTip::setPalette(tips);
    bringing = false;
  }

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == qApp && event->type() == QEvent::ApplicationPaletteChange) bring();
    return false;
  }
};

}  // namespace

void applyTheme(Theme theme) {
  static const QString own = QApplication::style()->name();
  if (theme == Theme::system) {
    QApplication::setStyle(QStyleFactory::create(own));
  } else {
    QApplication::setStyle(new Rims(QStringLiteral("Fusion")));
  }
  const QPalette dark =
      paletteOf({45, 47, 51}, {37, 39, 43}, {30, 32, 35}, {61, 126, 200}, {110, 170, 240});
  const QPalette light =
      paletteOf({239, 239, 239}, {246, 246, 246}, Qt::white, {38, 103, 180}, {38, 103, 180});
  // A palette without colours lets the desktop's through, also when that changes.
  QApplication::setPalette(theme == Theme::dark    ? dark
                           : theme == Theme::light ? light
                                                   : QPalette());
  static const QPointer<Beside> beside = [] {
    auto* made = new Beside(qApp);
    qApp->installEventFilter(made);
    return made;
  }();
  Beside::bring();
}

}  // namespace mpm::gui
