// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <memory>
#include <vector>

namespace mpm::gui::testing {

struct DrawnText {
  QString text;
  QRectF place;
};

struct DrawnTexts {
  std::vector<DrawnText> texts;

  QStringList words() const {
    QStringList list;
    for (const DrawnText& text : texts) list.append(text.text);
    return list;
  }
};

/// Paints nothing, but records which words would be where.
class TextRecorder : public QPaintDevice {
 public:
  explicit TextRecorder(QSize size) : size_(size), engine_(*this) {}

  QPaintEngine* paintEngine() const override { return &engine_; }

  DrawnTexts drawn;

 protected:
  int metric(PaintDeviceMetric metric) const override {
    switch (metric) {
      case PdmWidth:
        return size_.width();
      case PdmHeight:
        return size_.height();
      case PdmDpiX:
      case PdmDpiY:
      case PdmPhysicalDpiX:
      case PdmPhysicalDpiY:
        return 96;
      case PdmDevicePixelRatio:
        return 1;
      default:
        return QPaintDevice::metric(metric);
    }
  }

 private:
  class Engine : public QPaintEngine {
   public:
    explicit Engine(TextRecorder& recorder) : QPaintEngine(AllFeatures), recorder_(recorder) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState& now) override {
      if ((now.state() & DirtyTransform) != 0) transform_ = now.transform();
    }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawPath(const QPainterPath&) override {}
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
      recorder_.drawn.texts.push_back(
          {item.text(), transform_.mapRect(QRectF(at.x(), at.y() - item.ascent(), item.width(),
                                                  item.ascent() + item.descent()))});
    }
    Type type() const override { return User; }

   private:
    TextRecorder& recorder_;
    QTransform transform_;
  };

  QSize size_;
  mutable Engine engine_;
};

/// Returns what `paint(painter)` writes onto a device of that size.
template <typename Paint>
DrawnTexts recorded(QSize size, const Paint& paint) {
  TextRecorder recorder(size);
  QPainter painter(&recorder);
  paint(painter);
  painter.end();
  return recorder.drawn;
}

/// Returns the first overlap by more than a pixel, or cut text, in words; empty if none.
inline QString collision(const DrawnTexts& drawn, const QRectF& inside) {
  const auto& texts = drawn.texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!inside.adjusted(-1, -1, 1, 1).contains(texts[i].place)) return texts[i].text + " is cut";
    for (std::size_t j = 0; j < i; ++j) {
      const QRectF both = texts[i].place & texts[j].place;
      if (both.width() > 1 && both.height() > 2) return texts[i].text + " over " + texts[j].text;
    }
  }
  return {};
}

inline QPalette paletteOf(const QColor& base, const QColor& text) {
  QPalette palette;
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::Window, base);
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::WindowText, text);
  return palette;
}
inline QPalette lightPalette() { return paletteOf(Qt::white, QColor(20, 20, 20)); }
inline QPalette darkPalette() { return paletteOf(QColor(30, 30, 32), QColor(230, 230, 230)); }

}  // namespace mpm::gui::testing
