// SPDX-License-Identifier: Apache-2.0
#include "gui/app/model_dialog.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "gui/wait_for.h"
#include "models/street/street_model.h"

namespace mpm::gui {
namespace {

QString rowOf(const ModelDialog& dialog, const QString& title) {
  for (const QLabel* label : dialog.findChildren<QLabel*>())
    if (label->accessibleName() == title) return label->text();
  return {};
}

// The titles that stand there.
QStringList rowsOf(const ModelDialog& dialog) {
  const auto* card = dialog.findChild<QFormLayout*>();
  QStringList titles;
  for (int row = 0; row < card->rowCount(); ++row) {
    if (!card->isRowVisible(row)) continue;
    const QWidget* title = card->itemAt(row, QFormLayout::LabelRole)->widget();
    titles << qobject_cast<const QLabel*>(title)->text();
  }
  return titles;
}

const QPushButton* openButton(const ModelDialog& dialog) {
  return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
}

TEST(ModelDialog, ShowsWhatAModelIs) {
  const QString street = QString::fromStdString(streetModel());
  const ModelDialog dialog(street, {street});
  EXPECT_EQ(rowsOf(dialog), QStringList({"File", "Speed here"})) << "before its file is read";
  EXPECT_EQ(dialog.path(), street);
  EXPECT_EQ(dialog.findChild<QListWidget*>()->count(), 1) << "each once";
  ASSERT_TRUE(waitFor([&] { return !rowOf(dialog, "Classes").isEmpty(); }));
  EXPECT_TRUE(rowOf(dialog, "Classes").startsWith("12: sky, "));
  EXPECT_EQ(rowOf(dialog, "Merging"), "Tokens merge before any of its 12 blocks.");
  EXPECT_TRUE(rowOf(dialog, "Trained on").startsWith("drawn streets of mpm scene"));
  EXPECT_TRUE(rowOf(dialog, "Trained on").endsWith("Licence: Apache-2.0."));
  EXPECT_TRUE(rowOf(dialog, "Network").contains("512 x 512"));
  EXPECT_TRUE(openButton(dialog)->isEnabled());
}

TEST(ModelDialog, AFileThatIsNoModelIsNotOpened) {
  const QTemporaryDir folder;
  const QString none = folder.filePath("none.onnx");
  QFile file(none);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("no model");
  file.close();
  ModelDialog dialog(QString::fromStdString(streetModel()), {});
  dialog.offer(none);
  EXPECT_EQ(dialog.path(), none);
  dialog.offer(dialog.findChild<QListWidget*>()->item(0)->data(Qt::UserRole).toString());
  dialog.offer(none);
  EXPECT_EQ(dialog.findChild<QListWidget*>()->count(), 2) << "each once";
  EXPECT_EQ(dialog.path(), none);
  ASSERT_TRUE(waitFor([&] { return !openButton(dialog)->isEnabled(); }));
  EXPECT_TRUE(rowOf(dialog, "File").contains("none.onnx"));
  EXPECT_EQ(rowsOf(dialog), QStringList({"File", "Speed here"})) << "none that is empty";
}

}  // namespace
}  // namespace mpm::gui
