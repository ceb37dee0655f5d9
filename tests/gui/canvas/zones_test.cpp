// SPDX-License-Identifier: Apache-2.0
// Zones as somebody draws them on a picture, and as they are seen.
#include "gui/canvas/zones.h"

#include <gtest/gtest.h>

#include "gui/canvas/frame_view.h"
#include "gui/canvas/small_result.h"
#include "gui/hands.h"

namespace mpm::gui {
namespace {

monitor::Zone square(const std::string& name, double from, double to) {
  return {name, {{from, from}, {to, from}, {to, to}, {from, to}}};
}

// Input: keys by their names, and positions in tenths of the frame. "1,1" is a click, with ^ before
// it with Shift; "1,1>2,2" drags a corner, "1,1~2,2" also holds it; "~2,2" moves the pointer.
// Result: zones with their corners, * at the chosen one; a draft; how it ended.
struct Case {
  const char *acts, *is;
  int told = 0;  // how often zones were said to be others
  std::vector<monitor::Zone> given = {};
};

class EditedView {
 public:
  explicit EditedView(const Case& one) {
    view_.resize(400, 300);
    view_.setResult(smallResult());
    view_.setZones(one.given);
    view_.show();
    view_.setZoneEditing(true);
    QObject::connect(&view_, &FrameView::zonesChanged, &view_,
                     [this](const auto& zones) { EXPECT_EQ(zones, view_.zones()); });
    const QImage before = view_.grab().toImage();
    const QString first = is();
    for (const QString& each : QString(one.acts).split(' ')) act(each);
    EXPECT_EQ(is().toStdString(), one.is);
    EXPECT_EQ(changed_.count(), one.told);
    EXPECT_EQ(view_.grab().toImage() == before, is() == first) << "as it is seen";
    EXPECT_FALSE(view_.viewState()->pinned()) << "clicks are corners, not pins";
  }

 private:
  static QPointF placeOf(const QString& words) {
    return {words.section(',', 0, 0).toDouble() * 40, words.section(',', 1).toDouble() * 30};
  }
  void act(const QString& act) {
    if (act == "end") return view_.setZoneEditing(false);
    if (act == "forget") return static_cast<void>(view_.forgetDraft());
    if (act == "again") return view_.setZones(view_.zones());
    if (act == "others") return view_.setZones({});
    if (act == "double") return QTest::mouseDClick(&view_, Qt::LeftButton, {}, {200, 150});
    if (act.startsWith('~')) return QTest::mouseMove(&view_, placeOf(act.mid(1)).toPoint());
    if (!act.contains(',')) return hands::keys(&view_, act);
    std::vector<QPointF> places;
    for (const QString& place : QString(act).remove('^').split(QRegularExpression("[>~]")))
      places.push_back(placeOf(place));
    hands::drag(&view_, places, act.contains('~'),
                act.startsWith('^') ? Qt::ShiftModifier : Qt::NoModifier);
  }
  static QString wordsOf(const std::vector<cv::Point2d>& corners) {
    QString words;
    for (const cv::Point2d& corner : corners)
      words += QString(" %1,%2").arg(corner.x * 10, 0, 'g', 4).arg(corner.y * 10, 0, 'g', 4);
    return words;
  }
  QString is() const {
    QStringList words;
    for (std::size_t i = 0; i < view_.zoneEditor().zones().size(); ++i) {
      const monitor::Zone& zone = view_.zoneEditor().zones()[i];
      const bool chosen = static_cast<int>(i) == view_.zoneEditor().chosen();
      words << (chosen ? "*" : "") + QString::fromStdString(zone.name) + wordsOf(zone.corners);
    }
    if (!view_.zoneEditor().draft().empty()) words << "begun" + wordsOf(view_.zoneEditor().draft());
    if (!dropped_.isEmpty()) words << "dropped";
    if (!view_.isZoneEditing()) words << (left_.isEmpty() ? "ended" : "left");
    return words.join("; ");
  }

  FrameView view_;
  QSignalSpy changed_{&view_, &FrameView::zonesChanged}, left_{&view_, &FrameView::zoneEditingLeft},
      dropped_{&view_, &FrameView::draftDropped};
};

TEST(ZonesOfAView, AreDrawnChangedAndRemovedByMouseAndByKeys) {
  const std::vector<monitor::Zone> a{square("a", 0.1, 0.5)},
      two{square("a", 0.1, 0.5), square("b", 0.3, 0.9)};
  const monitor::Zone triangle{"t", {{0.2, 0.2}, {0.6, 0.2}, {0.4, 0.6}}};
  for (const Case& one : std::initializer_list<Case>{
           // Neither two corners nor three on one line are a zone.
           {"1,1 5,1 Return", "begun 1,1 5,1"},
           {"1,1 3,3 5,5 Return", "begun 1,1 3,3 5,5"},
           {"1,1 5,1 5,5 Return", "*Zone 1 1,1 5,1 5,5", 1},
           {"1,1 5,1 5,5 double", "*Zone 1 1,1 5,1 5,5", 1},
           {"1,1 5,1 5,5 1.1,1", "*Zone 1 1,1 5,1 5,5", 1},  // its first corner closes it
           {"1,1 5,1 5,20 Return", "*Zone 1 1,1 5,1 5,10", 1},
           {"6,6 9,6 9,9 Return",
            "Zone 2 0,0 2,0 2,2 0,2; *Zone 3 6,6 9,6 9,9",
            1,
            {square("Zone 2", 0, 0.2)}},
           // Corners can be dragged, unless no area would be left.
           {"5.1,5.1>8,7 ~1,1 8,7", "*a 1,1 5,1 8,7 1,5", 1, a},
           {"4,6>5,2", "*t 2,2 6,2 4,6", 0, {triangle}},
           // A drag from an empty place makes a rectangle; a trembling hand clicks a corner.
           {"1,1>5,5", "*Zone 1 1,1 5,1 5,5 1,5", 1},
           {"8,6>8.02,6.02", "begun 8,6"},
           // Inside zones a click chooses the upper one, except with a draft or with Shift.
           {"4,4", "a 1,1 5,1 5,5 1,5; *b 3,3 9,3 9,9 3,9", 0, two},
           {"2,2", "*a 1,1 5,1 5,5 1,5; b 3,3 9,3 9,9 3,9", 0, two},
           {"2,2 9.5,1 2,2", "a 1,1 5,1 5,5 1,5; b 3,3 9,3 9,9 3,9; begun 9.5,1 2,2", 0, two},
           {"^2,2", "a 1,1 5,1 5,5 1,5; begun 2,2", 0, a},
           // Escape undoes step by step: a held corner, the choice, the draft, editing.
           {"1,1~2,2 Esc", "*a 1,1 5,1 5,5 1,5", 0, a},
           {"1,1~2,2 Esc Esc", "a 1,1 5,1 5,5 1,5", 0, a},
           {"1,1~2,2 Esc Esc Esc", "a 1,1 5,1 5,5 1,5; left", 0, a},
           {"8,8 Esc", "a 1,1 5,1 5,5 1,5", 0, a},
           {"1,1 5,1 5,5 Esc Esc", "left"},
           // Delete removes the last corner, else the chosen zone; Page Up and Down choose zones.
           {"Del", "a 1,1 5,1 5,5 1,5", 0, a},
           {"0.5,9 1.5,9 Del", "begun 0.5,9"},
           {"PgUp", "a 1,1 5,1 5,5 1,5; *b 3,3 9,3 9,9 3,9", 0, two},
           {"PgUp PgDown", "*a 1,1 5,1 5,5 1,5; b 3,3 9,3 9,9 3,9", 0, two},
           {"PgUp PgDown Del", "b 3,3 9,3 9,9 3,9", 1, two},
           // The keyboard suffices: it moves a cross, which picks up the corner under it.
           {"Space Right*20 Space Down*20 Space Enter", "*Zone 1 5,5 7,5 7,7", 1},
           {"Space Right*20 Space Down*20 Space Enter Space Right*10 Space Esc PgDown",
            "*Zone 1 5,5 7,5 8,7", 2},
           {"Right*20 Shift+Right Space", "begun 7.02,5"},
           // At the end a draft becomes a zone, or is reported as dropped.
           {"1,1 5,1 5,5 end", "Zone 1 1,1 5,1 5,5; ended", 1},
           {"8.5,8 end", "dropped; ended"},
           // Guards against corners on one camera's picture that become a zone of the next.
           {"1,1 5,1 5,5 forget Return end", "ended"},
           {"1,1 5,1 5,5 Return 8.5,8 again", "Zone 1 1,1 5,1 5,5; begun 8.5,8", 1},
           {"1,1 5,1 5,5 Return 8.5,8 others", "begun 8.5,8", 1}}) {
    SCOPED_TRACE(one.acts);
    const EditedView judged(one);
  }
}

constexpr QSizeF kView(400, 300);

class ZoneDrawing : public ::testing::Test {
 protected:
  ZoneDrawing() : image_(kView.toSize(), QImage::Format_RGB32) { image_.fill(Qt::black); }
  void draw(const std::vector<monitor::Zone>& zones, const std::vector<std::string>& lit) {
    QPainter painter(&image_);
    drawZones(painter, {kView, {80, 60}, 1, {0.5, 0.5}}, {{0, 0}, kView}, zones, lit);
  }
  QImage image_;
};

TEST_F(ZoneDrawing, DrawsBordersAndKeepsNamesInside) {
  draw({{"Far right", {{0.9, 0.5}, {1, 0.6}, {0.9, 0.9}}}}, {});
  EXPECT_GT(qGray(image_.pixel(360, 200)), 200);
  int lit = 0;  // the name's letters, left of where it would begin
  for (int y = 150; y < 180; ++y)
    for (int x = 330; x < 355; ++x) lit += qGray(image_.pixel(x, y)) > 128;
  EXPECT_GT(lit, 5);
}

TEST_F(ZoneDrawing, ALitZoneShinesAndTheOthersDoNot) {
  draw({{"left", {{0.1, 0.2}, {0.4, 0.2}, {0.4, 0.9}, {0.1, 0.9}}},
        {"right", {{0.6, 0.2}, {0.9, 0.2}, {0.9, 0.9}, {0.6, 0.9}}}},
       {"right"});
  const QColor left = image_.pixel(100, 200), right = image_.pixel(300, 200);
  EXPECT_GT(right.red(), left.red() + 20);
  EXPECT_GT(right.red(), 2 * right.blue()) << "in a colour of its own";
  EXPECT_EQ(left.red(), left.blue());
}

TEST_F(ZoneDrawing, TheDraftGoesOnToTheCursor) {
  ZoneEditor editor;
  editor.press({0.1, 0.5}, {0.01, 0.01}, false);
  QPainter painter(&image_);
  drawEditedZones(painter, {kView, {80, 60}, 1, {0.5, 0.5}}, {{0, 0}, kView}, editor, {0.9, 0.5});
  painter.end();
  EXPECT_GT(qRed(image_.pixel(200, 150)), 200);
  EXPECT_LT(qBlue(image_.pixel(200, 150)), 100);
}

}  // namespace
}  // namespace mpm::gui
