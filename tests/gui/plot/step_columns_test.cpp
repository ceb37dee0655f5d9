// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/step_columns.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QToolTip>
#include <cmath>
#include <vector>

#include "gui/plot/colours.h"
#include "gui/plot/palettes.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

class OpenStepColumns : public StepColumns {
 public:
  using StepColumns::draw;
};

class StepColumnsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    columns_.setPalette(testing::lightPalette());
    columns_.setColumns({{"Embedding", "embed", 2, false},
                         {"Block 0", "0", 8, false},
                         {"Merge before block 1", "m", 1, true},
                         {"Block 1", "1", 4, false},
                         {"Head", "head", std::nan(""), false}});
  }
  testing::DrawnTexts recorded(QSize size) {
    testing::TextRecorder recorder(size);
    QPainter painter(&recorder);
    columns_.draw(painter, size);
    painter.end();
    return recorder.drawn;
  }
  OpenStepColumns columns_;
};

// How many rows of pixels each run of columns of this colour has, from the left.
std::vector<int> heightsOf(const QImage& image, QRgb colour) {
  std::vector<int> heights;
  int before = 0;
  for (int x = 0; x < image.width(); ++x) {
    int count = 0;
    for (int y = image.height() / 3; y < image.height(); ++y) count += image.pixel(x, y) == colour;
    if (count > 0 && before == 0) heights.push_back(count);
    before = count;
  }
  return heights;
}

TEST_F(StepColumnsTest, ColumnsAreAsTallAsTheirTimesAndMergesHaveAColourOfTheirOwn) {
  columns_.setColumns({{"A", "a", 20, false}, {"B", "b", 10, false}, {"M", "m", 5, true}});
  const QImage image = columns_.image({400, 300});
  const auto steps = heightsOf(image, seriesColour(0, testing::lightPalette()).rgb());
  const auto merges = heightsOf(image, seriesColour(1, testing::lightPalette()).rgb());
  ASSERT_EQ(steps.size(), 2u);
  ASSERT_EQ(merges.size(), 1u);
  EXPECT_GT(merges[0], 20);
  EXPECT_NEAR(steps[1], 2 * merges[0], 2);
}

TEST_F(StepColumnsTest, TheHeadlineTellsTheWholeAndWhatMergesTake) {
  EXPECT_DOUBLE_EQ(columns_.totalMs(), 15);
  EXPECT_DOUBLE_EQ(columns_.apartMs(), 1);
  const QStringList words = recorded({500, 200}).words();
  EXPECT_TRUE(words.contains("Network 15.0 ms")) << words.join('|').toStdString();
  EXPECT_TRUE(words.contains("Merges 1.0 ms, 7%")) << words.join('|').toStdString();
  EXPECT_TRUE(words.contains("8.0"));
  EXPECT_TRUE(words.contains("embed"));
}

TEST_F(StepColumnsTest, ItsSentenceAndItsTableSayTheSame) {
  EXPECT_EQ(columns_.summary().toStdString(),
            "Network: 15.0 ms, of it 1.0 ms for Merges; the longest step is Block 0 with 8.0 ms.");
  QAbstractTableModel* table = columns_.table();
  ASSERT_EQ(table->rowCount(), 5);
  EXPECT_EQ(table->index(2, 0).data().toString(), "Merge before block 1");
  EXPECT_EQ(table->index(1, 1).data().toString(), "8.0 ms");
  EXPECT_FALSE(table->index(4, 1).data(PlotTable::kValueRole).isValid());
  columns_.setColumns({});
  EXPECT_EQ(columns_.summary().toStdString(), "Nothing is known of the network's layers.");
}

TEST_F(StepColumnsTest, CsvHasEveryStep) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  ASSERT_TRUE(columns_.exportCsv(buffer));
  EXPECT_EQ(buffer.data().split('\n').size(), 7);
  EXPECT_TRUE(buffer.data().contains("Merge before block 1,1,1\r\n"));
}

TEST_F(StepColumnsTest, NoWordsTouchInAnySize) {
  std::vector<StepColumns::Column> many;
  for (int i = 0; i < 12; ++i)
    many.push_back({QString("Block %1").arg(i), QString::number(i), 4.5 + i, false});
  columns_.setColumns(many);
  for (const QSize size : {QSize(240, 120), QSize(500, 200), QSize(1600, 400)})
    EXPECT_EQ(testing::collision(recorded(size), QRectF({0, 0}, size)).toStdString(), "")
        << size.width();
}

TEST_F(StepColumnsTest, ThePointerTellsAStep) {
  columns_.resize(500, 200);
  columns_.show();
  const QPoint over(6 + 488 * 3 / 10, 120);  // the second of five
  QHelpEvent help(QEvent::ToolTip, over, columns_.mapToGlobal(over));
  QApplication::sendEvent(&columns_, &help);
  EXPECT_EQ(QToolTip::text().toStdString(), "Block 0: 8.0 ms, 53%");
}

}  // namespace
}  // namespace mpm::gui
