// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/colours.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace mpm::gui {
namespace {

using monitor::LightState;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::LightState)
 public:
  // Entries are in the order of LightState.
  static constexpr std::array<const char*, monitor::kLightStates> kTitles{
      QT_TR_NOOP("Day"),          QT_TR_NOOP("Dusk"),      QT_TR_NOOP("Night"),
      QT_TR_NOOP("Infrared"),     QT_TR_NOOP("No signal"), QT_TR_NOOP("Transition"),
      QT_TR_NOOP("Not known yet")};
};

constexpr std::array<QRgb, monitor::kLightStates> kHues{
    0xffffcd3c, 0xffeb6e28, 0xff325ad7, 0xffaf3cc8, 0xff808080, 0xff28af9b, 0xffb9b4aa};

QColor hueOf(LightState state) { return QColor::fromRgb(kHues[static_cast<std::size_t>(state)]); }

struct Pair {
  QRgb onLight, onDark;
};

constexpr std::array<Pair, kSeriesColours> kSeries{{{0xff005f9e, 0xff6cc0f5},
                                                    {0xffb03a00, 0xffffb04d},
                                                    {0xff006b4a, 0xff4fd6a6},
                                                    {0xff8c2f6e, 0xfff0a3d2},
                                                    {0xff5f4700, 0xfff2e55c},
                                                    {0xff3b3b3b, 0xffe0e0e0}}};

QColor pick(const Pair& pair, const QPalette& palette) {
  return QColor::fromRgb(isDark(palette) ? pair.onDark : pair.onLight);
}

// Returns the luminance as WCAG 2 defines it: from 0 to 1.
double luminance(const QColor& colour) {
  const auto linear = [](float part) {
    return part <= 0.04045F ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

double contrast(const QColor& one, const QColor& other) {
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QColor base(const QPalette& palette) { return palette.color(QPalette::Base); }
QColor text(const QPalette& palette) { return palette.color(QPalette::Text); }

}  // namespace

bool isDark(const QPalette& palette) {
  return qGray(base(palette).rgb()) < qGray(text(palette).rgb());
}

QColor mixed(const QColor& under, const QColor& over, double share) {
  const auto part = [share](int from, int to) {
    return static_cast<int>(std::lround(from + (to - from) * std::clamp(share, 0.0, 1.0)));
  };
  return {part(under.red(), over.red()), part(under.green(), over.green()),
          part(under.blue(), over.blue())};
}

QColor seriesColour(int index, const QPalette& palette) {
  const int place = ((index % kSeriesColours) + kSeriesColours) % kSeriesColours;
  return pick(kSeries[static_cast<std::size_t>(place)], palette);
}

QColor readable(const QColor& colour, const QPalette& palette) {
  constexpr double kLeast = 3, kStep = 0.05;
  const QColor away = isDark(palette) ? Qt::white : Qt::black;
  QColor made = colour;
  for (double share = kStep; contrast(made, base(palette)) < kLeast && share <= 1; share += kStep)
    made = mixed(colour, away, share);
  return made;
}

QColor lightColour(LightState state, const QPalette& palette) {
  return mixed(base(palette), hueOf(state), isDark(palette) ? 0.18 : 0.2);
}

QBrush lightPattern(LightState state, const QPalette& palette) {
  const QColor ink = mixed(lightColour(state, palette), text(palette), 0.16);
  if (state == LightState::infrared) return {ink, Qt::BDiagPattern};
  if (state == LightState::noSignal) return {ink, Qt::DiagCrossPattern};
  if (state == LightState::unknown) return {ink, Qt::Dense6Pattern};
  return Qt::NoBrush;
}

QColor strongLightColour(LightState state, const QPalette& palette) {
  return mixed(base(palette), hueOf(state), isDark(palette) ? 0.62 : 0.55);
}

QString lightTitle(LightState state) {
  return Words::tr(Words::kTitles[static_cast<std::size_t>(state)]);
}

QPalette faultPalette(const QPalette& palette) {
  QPalette made = palette;
  made.setColor(QPalette::WindowText,
                isDark(palette) ? QColor(255, 140, 130) : QColor(170, 20, 20));
  return made;
}

QColor gridColour(const QPalette& palette) {
  return mixed(base(palette), text(palette), isDark(palette) ? 0.2 : 0.14);
}

QColor quietTextColour(const QPalette& palette) {
  return mixed(base(palette), text(palette), 0.72);
}

}  // namespace mpm::gui
