// SPDX-License-Identifier: Apache-2.0
#include "gui/app/wording.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QRegularExpressionMatch>
#include <QStringList>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "monitor/rules/words.h"

namespace mpm::gui {
namespace {

using Said = std::optional<QString>;  // nothing: it is no such part

// Kinds of what replaces %1, %2, ... in a sentence.
enum class Part {
  kept,      // words of somebody else's: a rule's name, an error
  word,      // the same, one word: a schedule
  metric,    // area.car: numbers behind it are its values
  number,    // 0.25
  percent,   // 12.5%
  duration,  // 3 min 20 s
  light,     // no_signal
  lights,    // day, dusk or night
  level,     // outside of 0.1 to 0.3
  schedule,  // merging before 2,5
  where,     // 3% further left, 2 degrees clockwise
  sentence   // another of these
};

/// A sentence of the monitor, in English, with the app's own words for it where they differ.
struct Known {
  Known(const char* words, std::vector<Part> its = {}, const char* ownWords = nullptr)
      : text(ownWords != nullptr ? ownWords : words), parts(std::move(its)) {
    QString pattern = QRegularExpression::escape(QString::fromLatin1(words));
    for (std::size_t i = 1; i <= parts.size(); ++i)
      pattern.replace(QStringLiteral("\\%%1").arg(i), QStringLiteral("(.+)"));
    expression.setPattern(QRegularExpression::anchoredPattern(pattern));
  }

  const char* text;
  std::vector<Part> parts;
  QRegularExpression expression;
};
using Table = std::vector<Known>;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::EventWords)

 public:
  static const Table& sentences() {
    static const Table kTable{
        {QT_TR_NOOP("Rule '%1' began: %2"), {Part::kept, Part::sentence}},
        {QT_TR_NOOP("Rule '%1' ended after %2: %3"), {Part::kept, Part::duration, Part::sentence}},
        {QT_TR_NOOP("Rule '%1' ended: it was changed or removed."), {Part::kept}},
        {QT_TR_NOOP("the source is no longer watched.")},
        {QT_TR_NOOP("no frame has come for %1."), {Part::duration}},
        {QT_TR_NOOP("frames come again, after %1 without."), {Part::duration}},
        {QT_TR_NOOP("the light has been %1 for %2, and is %3 now."),
         {Part::lights, Part::duration, Part::light}},
        {QT_TR_NOOP("the light has been %1 for %2."), {Part::lights, Part::duration}},
        {QT_TR_NOOP("the light is %1, and it holds only during %2."), {Part::light, Part::lights}},
        {QT_TR_NOOP("the light is %1."), {Part::light}},
        {QT_TR_NOOP("%1 has been %2 for %3, and is %4 now."),
         {Part::metric, Part::level, Part::duration, Part::number}},
        {QT_TR_NOOP("%1 is %2, back to between %3 and %4."),
         {Part::metric, Part::number, Part::number, Part::number}},
        {QT_TR_NOOP("%1 is %2, back to %3 or less."), {Part::metric, Part::number, Part::number}},
        {QT_TR_NOOP("%1 is %2, back to %3 or more."), {Part::metric, Part::number, Part::number}},
        {QT_TR_NOOP("%1 is %2, %3."), {Part::metric, Part::number, Part::level}},
        {QT_TR_NOOP("the light is %1 now, it was %2"), {Part::light, Part::light}},
        {QT_TR_NOOP("the light is %1"), {Part::light}},
        {QT_TR_NOOP("%1 from now on, %2 until now"), {Part::schedule, Part::schedule}},
        {QT_TR_NOOP("pictures are changed before they are measured, as for a simulated night")},
        {QT_TR_NOOP("pictures are measured as they come again")},
        {QT_TR_NOOP("what did not change is remembered from now on")},
        {QT_TR_NOOP("every frame is computed in full from now on")},
        {QT_TR_NOOP("the wall clock was set")},
        {QT_TR_NOOP("frames come")},
        {QT_TR_NOOP("no new frame comes, although it is open")},
        {QT_TR_NOOP("it was lost")},
        {QT_TR_NOOP("it is at its end")},
        {QT_TR_NOOP("it is at its end: %1"), {Part::kept}},
        {QT_TR_NOOP("it ended early: %1"), {Part::kept}},
        {QT_TR_NOOP("the model fails on its frames: %1"), {Part::kept}},
        {QT_TR_NOOP("the model labels its frames again")},
        {QT_TR_NOOP(
            "the camera shows another view: it was moved, or something stands in front of it")},
        {QT_TR_NOOP("the camera was moved again: against its first view, what it shows is now "
                    "%1"),
         {Part::where}},
        {QT_TR_NOOP("the camera was moved: what it shows is now %1"), {Part::where}},
        {QT_TR_NOOP("the camera is covered, or shows next to nothing: %1 of what it showed are "
                    "gone"),
         {Part::percent}},
        {QT_TR_NOOP("the picture is blurred (out of focus, fogged or iced over): %1 of its usual "
                    "sharpness"),
         {Part::percent}},
        {QT_TR_NOOP("the picture is frozen: frames come, but they are the same")},
        {QT_TR_NOOP("the exposure is wrong: %1 of the picture are white or black"),
         {Part::percent}},
        {QT_TR_NOOP("the camera switches to and fro between colour and infrared: %1 times within "
                    "a minute"),
         {Part::number}},
        {QT_TR_NOOP("the camera shows its old view again, after %1"), {Part::duration}},
        {QT_TR_NOOP("the camera is not covered any more, after %1"), {Part::duration}},
        {QT_TR_NOOP("the picture is as sharp as before, after %1"), {Part::duration}},
        {QT_TR_NOOP("the picture changes again, after %1"), {Part::duration}},
        {QT_TR_NOOP("the exposure is as before, after %1"), {Part::duration}},
        {QT_TR_NOOP("the camera has stopped switching between colour and infrared, after %1"),
         {Part::duration}},
        {QT_TR_NOOP("figures are of the first view again, and zones are where they were drawn")},
        {QT_TR_NOOP("figures are of the first view again")},
        {QT_TR_NOOP(
            "figures are of another view from now on; zones stay where they are in the picture")},
        {QT_TR_NOOP("figures are of another view from now on; zones cannot follow, since the "
                    "first view is not found in it, and stay where they were drawn")},
        {QT_TR_NOOP("figures are of another view from now on; zones follow the camera, to %1"),
         {Part::where}},
        {QT_TR_NOOP("figures are of another view from now on")}};
    return kTable;
  }
  static const Table& levels() {
    static const Table kTable{{QT_TR_NOOP("above %1"), {Part::number}},
                              {QT_TR_NOOP("below %1"), {Part::number}},
                              {QT_TR_NOOP("outside of %1 to %2"), {Part::number, Part::number}}};
    return kTable;
  }
  static const Table& schedules() {
    static const Table kTable{{QT_TR_NOOP("unmerged")},
                              {"full tokens", {}, QT_TR_NOOP("unmerged")},  // of older records
                              {QT_TR_NOOP("merging before %1"), {Part::word}}};
    return kTable;
  }
  static const Table& durations() {
    static const Table kTable{{QT_TR_NOOP("%1 s"), {Part::number}},
                              {QT_TR_NOOP("%1 min"), {Part::number}},
                              {QT_TR_NOOP("%1 h"), {Part::number}},
                              {QT_TR_NOOP("%1 d"), {Part::number}},
                              {QT_TR_NOOP("%1 min %2 s"), {Part::number, Part::number}},
                              {QT_TR_NOOP("%1 h %2 min"), {Part::number, Part::number}},
                              {QT_TR_NOOP("%1 d %2 h"), {Part::number, Part::number}}};
    return kTable;
  }
  static const Table& places() {
    static const Table kTable{{QT_TR_NOOP("%1 further right"), {Part::percent}},
                              {QT_TR_NOOP("%1 further left"), {Part::percent}},
                              {QT_TR_NOOP("%1 further down"), {Part::percent}},
                              {QT_TR_NOOP("%1 further up"), {Part::percent}},
                              {QT_TR_NOOP("%1 degree clockwise"), {Part::number}},
                              {QT_TR_NOOP("%1 degree counterclockwise"), {Part::number}},
                              {QT_TR_NOOP("%1 degrees clockwise"), {Part::number}},
                              {QT_TR_NOOP("%1 degrees counterclockwise"), {Part::number}}};
    return kTable;
  }

  static constexpr const char* kKinds[] = {
      QT_TR_NOOP("app"),    QT_TR_NOOP("rule"),     QT_TR_NOOP("command"), QT_TR_NOOP("light"),
      QT_TR_NOOP("source"), QT_TR_NOOP("camera"),   QT_TR_NOOP("model"),   QT_TR_NOOP("clock"),
      QT_TR_NOOP("record"), QT_TR_NOOP("schedule"), QT_TR_NOOP("filter"),  QT_TR_NOOP("memory"),
      QT_TR_NOOP("view")};
};

Said partIn(Part part, const QString& text, bool isShare);

// All are replaced at once, since a part may itself contain %1.
QString filled(const QString& sentence, const QStringList& parts) {
  static const QRegularExpression kPlace(QStringLiteral("%(\\d)"));
  QString whole;
  qsizetype from = 0;
  for (auto places = kPlace.globalMatch(sentence); places.hasNext();) {
    const QRegularExpressionMatch place = places.next();
    whole += sentence.mid(from, place.capturedStart() - from);
    whole += parts.value(place.captured(1).toInt() - 1);
    from = place.capturedEnd();
  }
  return whole + sentence.mid(from);
}

// Translates by the first entry that fits. `share`: its numbers are shares, shown as percent.
Said oneOf(const Table& table, const QString& text, bool share = false) {
  for (const Known& known : table) {
    const QRegularExpressionMatch match = known.expression.match(text);
    if (!match.hasMatch()) continue;
    QStringList parts;
    bool isOfShare = share;
    for (const Part part : known.parts) {
      const QString said = match.captured(static_cast<int>(parts.size()) + 1);
      if (part == Part::metric) isOfShare = isShare(said.toStdString());
      const Said found = partIn(part, said, isOfShare);
      if (!found) break;
      parts << *found;
    }
    if (parts.size() == static_cast<qsizetype>(known.parts.size()))
      return filled(Words::tr(known.text), parts);
  }
  return {};
}

// Writes a number with the language's decimal separator.
Said numberIn(const QString& text, bool isShare = false) {
  bool good = false;
  const double number = text.toDouble(&good);
  if (!good) return {};
  const QString shown = isShare ? QString::number(100 * number, 'g', 12) : text;
  const QString local = QString(shown).replace(QLatin1Char('.'), QLocale().decimalPoint());
  return isShare ? percentText(local) : local;
}

Said lightIn(const QString& text) {
  const auto state = monitor::lightStateOf(text.toStdString());
  if (!state) return {};
  return lightWord(*state);
}

Said lightsIn(const QString& text) {
  std::vector<monitor::LightState> states;
  for (const QString& name : QString(text).replace(" or ", ", ").split(", ")) {
    const auto state = monitor::lightStateOf(name.toStdString());
    if (!state) return {};
    states.push_back(*state);
  }
  return lightWords(states);
}

Said whereIn(const QString& text) {
  if (text == QLatin1String("where it was")) return Words::tr("where it was");
  const QString ending = QStringLiteral(" (of the picture's width)");
  if (!text.endsWith(ending)) return {};
  QStringList words;
  for (const QString& part : text.chopped(ending.size()).split(", ")) {
    const Said word = oneOf(Words::places(), part);
    if (!word) return {};
    words << *word;
  }
  return Words::tr("%1 (of the picture's width)").arg(words.join(QStringLiteral(", ")));
}

Said partIn(Part part, const QString& text, bool isShare) {
  switch (part) {
    case Part::kept:
      break;
    case Part::word:
      return text.contains(' ') ? Said() : Said(text);
    case Part::metric:
      return text.contains(' ') ? Said() : Said(metricWords(text.toStdString()));
    case Part::number:
      return numberIn(text, isShare);
    case Part::percent: {
      // Events of version 0.1 have a space.
      const Said number = numberIn(text.chopped(text.endsWith(" %") ? 2 : 1));
      return number && text.endsWith('%') ? Said(percentText(*number)) : Said();
    }
    case Part::duration:
      return oneOf(Words::durations(), text);
    case Part::light:
      return lightIn(text);
    case Part::lights:
      return lightsIn(text);
    case Part::level:
      return oneOf(Words::levels(), text, isShare);
    case Part::schedule:
      return oneOf(Words::schedules(), text);
    case Part::where:
      return whereIn(text);
    case Part::sentence:
      return oneOf(Words::sentences(), text);
  }
  return text;
}

struct RuleWords {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::RuleSentence)
};

QString duration(std::int64_t ms) { return durationWords(monitor::durationText(ms)); }

}  // namespace

QString kindWord(const QString& kind) {
  for (const char* known : Words::kKinds)
    if (kind == QLatin1String(known)) return Words::tr(known);
  return kind;
}

QString eventSentence(const QString& text) {
  return oneOf(Words::sentences(), text).value_or(text);
}

QString lightWord(monitor::LightState state) {
  switch (state) {
    case monitor::LightState::day:
      return Words::tr("day");
    case monitor::LightState::dusk:
      return Words::tr("dusk");
    case monitor::LightState::night:
      return Words::tr("night");
    case monitor::LightState::infrared:
      return Words::tr("infrared");
    case monitor::LightState::noSignal:
      return Words::tr("without signal");
    case monitor::LightState::transition:
      return Words::tr("changing");
    case monitor::LightState::unknown:
      break;
  }
  return Words::tr("not known yet");
}

QString lightWords(const std::vector<monitor::LightState>& states) {
  QStringList words;
  for (const monitor::LightState state : states) words << lightWord(state);
  if (words.size() < 2) return words.join(QString());
  const QString last = words.takeLast();
  return Words::tr("%1 or %2").arg(words.join(QStringLiteral(", ")), last);
}

QString durationWords(const std::string& text) {
  const QString shown = QString::fromStdString(text);
  return oneOf(Words::durations(), shown).value_or(shown);
}

bool isShare(const std::string& metric) {
  switch (monitor::MetricName::parse(metric).kind) {
    case monitor::MetricKind::area:
    case monitor::MetricKind::mergedShare:
    case monitor::MetricKind::confidence:
    case monitor::MetricKind::flicker:
    case monitor::MetricKind::luma:
    case monitor::MetricKind::saturation:
    case monitor::MetricKind::freshShare:
    case monitor::MetricKind::memoryAgreement:
      return true;
    default:
      return false;
  }
}

QString percentText(const QString& number) { return RuleWords::tr("%1%").arg(number); }

QString valueText(const std::string& metric, double value) {
  const bool share = isShare(metric);
  const QString number = QLocale().toString(share ? value * 100 : value, 'g', 4);
  return share ? percentText(number) : number;
}

QString metricWords(const std::string& metric) {
  const monitor::MetricName name = monitor::MetricName::parse(metric);
  const QString part = QString::fromStdString(name.part);
  switch (name.kind) {
    case monitor::MetricKind::area:
      return name.zone.empty() ? RuleWords::tr("the share of %1").arg(part)
                               : RuleWords::tr("the share of %1 in %2")
                                     .arg(part, QString::fromStdString(name.zone));
    case monitor::MetricKind::liveRows:
      return RuleWords::tr("the number of live rows (prefix tokens included)");
    case monitor::MetricKind::mergedShare:
      return RuleWords::tr("the share of merged tokens");
    case monitor::MetricKind::confidence:
      return RuleWords::tr("the mean confidence");
    case monitor::MetricKind::luma:
      return RuleWords::tr("the brightness");
    case monitor::MetricKind::saturation:
      return RuleWords::tr("the saturation");
    default:
      return QString::fromStdString(metric);
  }
}

QString ruleExtras(const monitor::Rule& rule) {
  QStringList sentences;
  if (rule.snapshot) sentences << RuleWords::tr("Keeps a snapshot.");
  if (!rule.publish) sentences << RuleWords::tr("Is not published.");
  if (rule.hysteresis != 0)
    sentences << RuleWords::tr("Ends once the value is back by %1.")
                     .arg(valueText(rule.metric, rule.hysteresis));
  if (!rule.during.empty())
    sentences << RuleWords::tr("Only while the light is %1.").arg(lightWords(rule.during));
  if (rule.quietAfterLightMs != 0)
    sentences << RuleWords::tr("Waits for %1 after the light has changed.")
                     .arg(duration(rule.quietAfterLightMs));
  if (!rule.command.empty())
    sentences << RuleWords::tr("Runs %1.").arg(QString::fromStdString(rule.command.front()));
  return sentences.join(QLatin1Char(' '));
}

QString valueSentence(const monitor::Rule& rule, std::optional<double> value) {
  if (rule.metric.empty()) return {};
  return value && std::isfinite(*value)
             ? RuleWords::tr("Now it is %1.").arg(valueText(rule.metric, *value))
             : RuleWords::tr("Its current value is not known yet.");
}

}  // namespace mpm::gui
