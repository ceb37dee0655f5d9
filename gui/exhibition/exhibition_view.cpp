// SPDX-License-Identifier: Apache-2.0
#include "gui/exhibition/exhibition_view.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/painting.h"
#include "gui/explain/merge_story.h"

namespace mpm::gui {
namespace {

using Scene = ExhibitionView::Scene;

constexpr int kFrameMs = 34;      // between two paintings: at most 30 a second
constexpr int kNumberMs = 1000;   // a number that changes more often cannot be read
constexpr double kLabels = 0.55;  // opacity of classes over tokens
const QColor kGround(0, 0, 0), kNumber(255, 221, 51), kHint(200, 200, 200),
    kRim(255, 255, 255, 150);

/// A scene moves when it begins, then it rests.
struct Step {
  Scene scene;
  int endsMs, movesMs;
};
constexpr std::array kWithTokens{Step{Scene::camera, 8000, 0},    Step{Scene::squares, 14000, 5000},
                                 Step{Scene::merge, 20000, 5000}, Step{Scene::tokens, 28000, 0},
                                 Step{Scene::names, 34000, 2000}, Step{Scene::back, 40000, 5000}};
constexpr std::array kWithout{Step{Scene::camera, 8000, 0}, Step{Scene::names, 34000, 2000},
                              Step{Scene::back, 40000, 2000}};
static_assert(kWithTokens.back().endsMs == ExhibitionView::kLoopMs);
static_assert(kWithout.back().endsMs == ExhibitionView::kLoopMs);

qint64 steadyMs() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

double smooth(double share) { return share * share * (3 - 2 * share); }

monitor::FrameResultPtr squaresOf(const monitor::FrameResult& frame, cv::Size grid) {
  auto squares = std::make_shared<monitor::FrameResult>();
  squares->frame = frame.frame;
  squares->segmentation.mergeMap = everyPlaceAlone(grid);
  squares->segmentation.gridArea = frame.segmentation.gridArea;
  return squares;
}

Painting paintingOf(ViewKind kind) {
  Painting painting;
  painting.kind = kind;
  if (kind == ViewKind::segmentation) painting.opacity = 1;
  return painting;
}

}  // namespace

/// Layout of the number, the sentence below it and the hint. They are at a view's lower edge, or
/// below the image if there is room, and as wide as the image if that is wide enough. The number
/// comes first, so that it does not move when the sentence takes two lines.
struct ExhibitionView::Words {
  Words(const QFont& font, double letters, const QRectF& view, const QRectF& picture,
        const QString& number, const QString& sentence, const QString& hint)
      : numberFont(font), sentenceFont(font), hintFont(font) {
    sentenceFont.setPixelSize(static_cast<int>(letters));
    numberFont.setPixelSize(static_cast<int>(letters * 1.1));
    numberFont.setBold(true);
    hintFont.setPixelSize(static_cast<int>(letters * 0.7));
    constexpr double kWideEnough = 0.7;
    const QRectF& beside = picture.width() < kWideEnough * view.width() ? view : picture;
    const double margin = letters / 2, width = beside.width() - 2 * margin;
    const auto sizeOf = [&](const QFont& of, const QString& words) {
      return words.isEmpty() ? QRectF()
                             : QFontMetricsF(of).boundingRect(QRectF(0, 0, width, view.height()),
                                                              Qt::TextWordWrap, words);
    };
    numberArea = sizeOf(numberFont, number);
    sentenceArea = sizeOf(sentenceFont, sentence);
    hintArea = sizeOf(hintFont, hint);
    numberArea.moveTo(margin, margin / 2);
    sentenceArea.moveTo(margin, std::max(margin / 2, numberArea.bottom()));
    hintArea.moveTo(margin + width - hintArea.width(),
                    numberArea.center().y() - hintArea.height() / 2);
    if (hintArea.intersects(numberArea)) hintArea.moveTo(margin, sentenceArea.bottom());
    plate = QRectF(0, 0, beside.width(),
                   std::max(sentenceArea.bottom(), hintArea.bottom()) + margin / 2);
    const bool below = view.bottom() - picture.bottom() >= plate.height();
    const QPointF at(beside.left(), below ? picture.bottom() : view.bottom() - plate.height());
    for (QRectF* area : {&plate, &numberArea, &sentenceArea, &hintArea}) area->translate(at);
  }

  QFont numberFont, sentenceFont, hintFont;
  QRectF plate, numberArea, sentenceArea, hintArea;
};

cv::Size ExhibitionView::Tokens::grid() const { return squares->segmentation.mergeMap.size(); }

QRectF ExhibitionView::Tokens::area() const { return gridAreaOf(frame->segmentation); }

ExhibitionView::ExhibitionView(ClassSettings* classes, QWidget* parent)
    : QWidget(parent), classes_(classes), nowMs_(steadyMs), timer_(this) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  timer_.setSingleShot(true);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, qOverload<>(&QWidget::update));
  connect(classes_, &ClassSettings::changed, this, &ExhibitionView::refresh);
  connect(classes_, &ClassSettings::classesReset, this, &ExhibitionView::refresh);
  begin();
}

void ExhibitionView::setClock(std::function<qint64()> nowMs) {
  nowMs_ = std::move(nowMs);
  begin();
}

void ExhibitionView::begin() {
  beganMs_ = nowMs_();
  paintedMs_ = countedMs_ = beganMs_ - kLoopMs;
  touched_.reset();
}

void ExhibitionView::setResult(const monitor::FrameResultPtr& result) {
  const bool hadPicture = hasPicture();
  result_ = result;
  if (!hadPicture) begin();
  refresh();
}

// Repaints as soon as 34 ms have passed since the last painting.
void ExhibitionView::refresh() {
  fresh_ = true;
  if (!isVisible()) return;
  const qint64 nowMs = nowMs_();
  schedule(advance(nowMs), nowMs);
}

void ExhibitionView::schedule(const Stand& stand, qint64 nowMs) {
  const bool rests = stand.moved >= 1 && !fresh_;
  if (!isVisible() || (rests && stand.scene == Scene::waiting)) return timer_.stop();
  const qint64 wait =
      rests ? std::max<qint64>(stand.endsInMs, kFrameMs) : paintedMs_ + kFrameMs - nowMs;
  timer_.start(static_cast<int>(std::clamp<qint64>(wait, 0, kLoopMs)));
}

bool ExhibitionView::hasPicture() const {
  return result_ && whyNot(*result_, paintingOf(ViewKind::camera)).isEmpty();
}

bool ExhibitionView::hasLabels() const {
  return whyNot(*result_, paintingOf(ViewKind::segmentation)).isEmpty();
}

// Letters on a screen of 1.2 metres must be readable from five metres.
double ExhibitionView::letters() const {
  return std::max(15.0, std::min(width(), height()) / 20.0);
}

// The image is above the middle if words have room below it.
ViewGeometry ExhibitionView::geometry() const {
  const cv::Size picture = result_->frame.picture.size();
  const double high = ViewGeometry(QSizeF(size()), picture, 1, {0.5, 0.5}).scale() * picture.height;
  constexpr double kLines = 6;
  const double room = height() - high, above = std::max(0.0, room - kLines * letters()) / 3;
  return {QSizeF(size()), picture, 1, {0.5, 0.5 + (room / 2 - above) / high}};
}

Inspection ExhibitionView::touchedNow() const {
  return inspect(*result_, *classes_, 0, *touched_, tokens_->area());
}

void ExhibitionView::takeTokens() {
  const monitor::FrameResultPtr& told = result_ && result_->merged ? result_->merged : result_;
  if (!hasPicture() || !whyNot(*told, paintingOf(ViewKind::mergeMap)).isEmpty() ||
      told->frame.picture.size() != result_->frame.picture.size())
    return tokens_.reset();
  if (tokens_ && tokens_->frame == told) return;
  const cv::Mat& map = *mapBehind(told->segmentation, 0);
  // Patches move with the tokens of the frame that they began with: another frame's map would make
  // them jump. They change only if that frame no longer fits.
  const bool fits = tokens_ && tokens_->grid() == map.size() &&
                    tokens_->frame->frame.picture.size() == result_->frame.picture.size();
  if (fits && scene_ == Scene::merge && standAt(nowMs_()).scene == Scene::merge) return;
  tokens_ = Tokens{told, squaresOf(*told, map.size()), sceneOfAll(map), {}};
}

ExhibitionView::Stand ExhibitionView::standAt(qint64 nowMs) const {
  if (!hasPicture()) return {};
  if (touched_) return {Scene::touched, 1, touchedMs_ + kTouchMs - nowMs};
  const int at = static_cast<int>((nowMs - beganMs_) % kLoopMs);
  const std::span<const Step> loop =
      tokens_ ? std::span<const Step>(kWithTokens) : std::span<const Step>(kWithout);
  int beganMs = 0;
  for (const Step& step : loop) {
    if (at < step.endsMs) {
      const double moved =
          at - beganMs < step.movesMs ? (at - beganMs) / static_cast<double>(step.movesMs) : 1;
      return {step.scene, moved, step.endsMs - at};
    }
    beganMs = step.endsMs;
  }
  return {};
}

ExhibitionView::Stand ExhibitionView::advance(qint64 nowMs) {
  takeTokens();
  const bool isLit = touched_ && tokens_ && touchedNow().group.place >= 0;
  if (touched_ && (!isLit || nowMs - touchedMs_ >= kTouchMs)) begin();
  const Stand stand = standAt(nowMs);
  const bool isOther = std::exchange(scene_, stand.scene) != stand.scene;
  if (tokens_ && (isOther || nowMs - countedMs_ >= kNumberMs)) {
    squares_ = tokens_->scene.before;
    thoughts_ = tokens_->scene.behind;
    countedMs_ = nowMs;
  }
  if (isOther) describeItself(stand);
  return stand;
}

// Screen readers announce each scene once: otherwise they would read changing numbers all the time.
void ExhibitionView::describeItself(const Stand& stand) {
  setAccessibleName(sentenceOf(stand));
  setAccessibleDescription(numberOf({stand.scene, 1, 0}));
}

ExhibitionView::Seen ExhibitionView::seen() {
  const Stand stand = advance(nowMs_());
  Seen seen{stand.scene, stand.moved, sentenceOf(stand), numberOf(stand), {}};
  if (stand.scene == Scene::touched) seen.lit = touchedNow().group.places;
  return seen;
}

QString ExhibitionView::sentenceOf(const Stand& stand) const {
  const bool merged = tokens_ && thoughts_ < squares_;
  const QString alone = tr("Each square is thought about by itself.");
  switch (stand.scene) {
    case Scene::camera:
    case Scene::back:
      return tr("This is what the camera sees.");
    case Scene::squares:
      return tr("The computer cuts it into squares.");
    case Scene::merge:
      return merged ? tr("Squares that look alike are thought about together.") : alone;
    case Scene::tokens:
      return merged ? tr("So the computer has less to think about.") : alone;
    case Scene::names:
      if (hasLabels())
        return guesses_ ? tr("So the computer guesses what is where.")
                        : tr("So the computer knows what is where.");
      return sentenceOf({tokens_ ? Scene::tokens : Scene::camera, 1, 0});
    case Scene::touched:
      return touchedNow().group.places.size() > 1
                 ? tr("These squares look alike: they are one thought.")
                 : tr("This square is one thought by itself.");
    case Scene::waiting:
      break;
  }
  return tr("Waiting for the camera.");
}

QString ExhibitionView::numberOf(const Stand& stand) const {
  if (!tokens_ || stand.scene == Scene::waiting) return {};
  const auto number = [](double value) { return QLocale().toString(value, 'f', 0); };
  if (stand.scene == Scene::touched) {
    const std::size_t lit = touchedNow().group.places.size();
    return lit == 1 ? tr("1 square, 1 thought")
                    : tr("%1 squares, 1 thought").arg(number(static_cast<double>(lit)));
  }
  if (stand.scene == Scene::squares) return tr("%1 squares").arg(number(squares_));
  // The number counts down while the tokens move together.
  const double moved = stand.scene == Scene::merge ? smooth(stand.moved) : 1;
  return tr("%1 squares, %2 thoughts")
      .arg(number(squares_), number(squares_ + (thoughts_ - squares_) * moved));
}

const QPixmap& ExhibitionView::painted(Layer layer) {
  constexpr std::array kKinds{ViewKind::camera, ViewKind::mergeMap, ViewKind::mergeMap,
                              ViewKind::segmentation};
  Painting painting = paintingOf(kKinds[layer]);
  const bool ofTokens = layer == kSquares || layer == kMerged;
  if (ofTokens) painting.gridArea = tokens_->area();
  return layers_[layer].of(!ofTokens           ? result_
                           : layer == kSquares ? tokens_->squares
                                               : tokens_->frame,
                           painting, *classes_, geometry(), size(), devicePixelRatioF(), kGround);
}

// Cells have whole pixels, so that no gap shows between two of them.
QRect ExhibitionView::cellOf(int place) const {
  const QRectF cell = geometry().toView(placeArea(place, tokens_->grid(), tokens_->area()));
  return {QPoint(qRound(cell.left()), qRound(cell.top())),
          QPoint(qRound(cell.right()) - 1, qRound(cell.bottom()) - 1)};
}

// Squares appear from the upper left corner on, and each grows while the wave passes it.
void ExhibitionView::drawWave(QPainter& painter, const QPixmap& squares, double share) const {
  constexpr double kFront = 0.25;  // of the way, in which squares grow
  constexpr int kLine = 2;
  const cv::Size grid = tokens_->grid();
  const double ratio = squares.devicePixelRatio();
  for (int place = 0; place < grid.area(); ++place) {
    const double way = ((place % grid.width) / static_cast<double>(grid.width) +
                        (place / grid.width) / static_cast<double>(grid.height)) /
                       2;
    const double grown = smooth(std::clamp((share * (1 + kFront) - way) / kFront, 0.0, 1.0));
    if (grown <= 0.05) continue;
    const QRect cell = cellOf(place);
    QRect tile(QPoint(), (QSizeF(cell.size()) * grown).toSize()), source = cell;
    tile.moveCenter(cell.center());
    if (grown < 1) {  // without the lines between squares, and with a rim of its own
      source.adjust(kLine, kLine, -kLine, -kLine);
      painter.fillRect(tile.adjusted(-1, -1, 1, 1), kRim);
    }
    painter.drawPixmap(QRectF(tile), squares,
                       QRectF(QPointF(source.topLeft()) * ratio, QSizeF(source.size()) * ratio));
  }
}

void ExhibitionView::drawMerge(QPainter& painter, double moved) {
  if (tokens_->colours.empty()) {
    tokens_->colours =
        tokenColours(placeMeans(tokens_->frame->frame.picture, tokens_->grid(), tokens_->area()),
                     *mapBehind(tokens_->frame->segmentation, 0));
  }
  const MergeMove move{tokens_->scene,   tokens_->grid(),   tokens_->area(),
                       tokens_->colours, painted(kSquares), painted(kMerged)};
  drawMove(painter, geometry(), move, moved);
}

void ExhibitionView::drawLabels(QPainter& painter, double share) {
  if (share <= 0 || !hasLabels()) return;
  painter.setOpacity(kLabels * share);
  painter.drawPixmap(0, 0, painted(kClasses));
  painter.setOpacity(1);
}

void ExhibitionView::drawTouched(QPainter& painter) {
  const QPixmap& camera = painted(kCamera);
  painter.drawPixmap(0, 0, camera);
  painter.fillRect(geometry().toView(QRectF(0, 0, 1, 1)), QColor(0, 0, 0, 140));
  const Inspection seen = touchedNow();
  const double ratio = camera.devicePixelRatio();
  const QColor kGlow(255, 255, 255, 60);
  for (const int place : seen.group.places) {
    const QRectF cell = cellOf(place);
    painter.drawPixmap(cell, camera, QRectF(cell.topLeft() * ratio, cell.size() * ratio));
    painter.fillRect(cell, kGlow);
  }
  const double wider = std::max(1.0, std::min(width(), height()) / 500.0);
  drawLinks(painter, geometry(), seen.group, *touched_, tokens_->area(), LinkKind::pinned, wider);
}

void ExhibitionView::drawScene(QPainter& painter, const Stand& stand) {
  switch (stand.scene) {
    case Scene::merge:
      return drawMerge(painter, stand.moved);
    case Scene::touched:
      return drawTouched(painter);
    case Scene::tokens:
    case Scene::names:
      painter.drawPixmap(0, 0, painted(tokens_ ? kMerged : kCamera));
      return drawLabels(painter, stand.scene == Scene::names ? stand.moved : 0);
    case Scene::squares:
      painter.drawPixmap(0, 0, painted(kCamera));
      return drawWave(painter, painted(kSquares), stand.moved);
    case Scene::back:
      painter.drawPixmap(0, 0, painted(kCamera));
      if (tokens_) drawWave(painter, painted(kMerged), 1 - stand.moved);
      return drawLabels(painter, 1 - (tokens_ ? 3 : 1) * stand.moved);
    default:
      painter.drawPixmap(0, 0, painted(kCamera));
  }
}

// Names appear with the classes, the largest area's first, and disappear with the image. Fading
// letters would take ten times as long.
void ExhibitionView::drawNames(QPainter& painter, const Stand& stand, const QRectF& room) {
  double share = 0;
  if (stand.scene == Scene::camera || stand.scene == Scene::back) share = 1;
  if (stand.scene == Scene::names) share = stand.moved;
  if (stand.scene == Scene::squares) share = 1 - 5 * stand.moved;
  if (share <= 0 || !hasLabels()) return;
  if (std::exchange(named_, result_) != result_) names_.find(result_->segmentation.labels);
  const std::vector<NamedArea>& all = names_.found();
  const auto count = std::ceil(share * static_cast<double>(all.size()));
  QFont letter = font();
  letter.setPixelSize(static_cast<int>(letters() * 0.8));
  painter.setFont(letter);
  drawAreaNames(painter, geometry(), room, {all.begin(), all.begin() + static_cast<int>(count)},
                *classes_);
}

void ExhibitionView::drawWords(QPainter& painter, const Stand& stand) {
  const QString sentence = sentenceOf(stand), number = numberOf(stand);
  const QString hint = tokens_ ? tr("Touch something.") : QString();
  const Words words(font(), letters(), rect(), geometry().toView(QRectF(0, 0, 1, 1)), number,
                    sentence, hint);
  const QRectF room(0, 0, width(), words.plate.top());
  drawNames(painter, stand, room);
  if (stand.scene == Scene::touched && hasLabels()) {
    const Inspection seen = touchedNow();
    QRect group;
    for (const int place : seen.group.places) group |= cellOf(place);
    painter.setFont(words.sentenceFont);
    drawCard(painter, room, group, {seen.className});
  }
  painter.fillRect(words.plate, QColor(0, 0, 0, 175));
  const auto write = [&](const QFont& font, const QColor& colour, const QRectF& area,
                         const QString& text) {
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(area, Qt::TextWordWrap, text);
  };
  write(words.sentenceFont, Qt::white, words.sentenceArea, sentence);
  write(words.numberFont, kNumber, words.numberArea, number);
  write(words.hintFont, kHint, words.hintArea, hint);
}

void ExhibitionView::paintEvent(QPaintEvent* /*event*/) {
  const qint64 nowMs = nowMs_();
  const Stand stand = advance(nowMs);
  paintedMs_ = nowMs;
  fresh_ = false;
  QPainter painter(this);
  if (stand.scene == Scene::waiting) {
    painter.fillRect(rect(), kGround);
    drawNotice(painter, rect(), sentenceOf(stand), {});
  } else {
    drawScene(painter, stand);
    drawWords(painter, stand);
  }
  schedule(stand, nowMs);
}

void ExhibitionView::mousePressEvent(QMouseEvent* event) {
  const qint64 nowMs = nowMs_();
  if (advance(nowMs).scene == Scene::waiting || !tokens_ ||
      !geometry().hitsPicture(event->position()))
    return QWidget::mousePressEvent(event);
  const std::optional<QPointF> before =
      std::exchange(touched_, geometry().toPicture(event->position()));
  if (touchedNow().group.place < 0) {  // beside the grid
    touched_ = before;
    return;
  }
  touchedMs_ = nowMs;
  describeItself(advance(nowMs));
  refresh();
}

void ExhibitionView::showEvent(QShowEvent* event) {
  begin();
  refresh();
  QWidget::showEvent(event);
}

void ExhibitionView::hideEvent(QHideEvent* event) {
  timer_.stop();
  layers_ = {};
  named_.reset();
  QWidget::hideEvent(event);
}

void ExhibitionView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    describeItself(advance(nowMs_()));
    refresh();
  }
  QWidget::changeEvent(event);
}

}  // namespace mpm::gui
