// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <exception>
#include <string>
#include <utility>

#include "gui/app/model_shelf.h"
#include "gui/aside.h"
#include "gui/plot/colours.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"
#include "gui/why_not_merging.h"
#include "mpm/net.h"
#include "segment/facts.h"

namespace mpm::gui {

/// Chooses a model: those that ran here, or a file. Of the chosen one a card: what it saw here, its
/// classes, what it was trained on, whether it merges, how long a frame takes it.
class ModelDialog : public QDialog {
  Q_OBJECT

 public:
  ModelDialog(const QString& current, QStringList models, QWidget* parent = nullptr)
      : QDialog(parent), list_(new QListWidget), picture_(new QLabel), card_(new QFormLayout) {
    setWindowTitle(tr("Open a model"));
    list_->setAccessibleName(tr("Models"));
    list_->setIconSize(kIconSize);
    list_->setWordWrap(true);
    picture_->setFixedSize(ModelShelf::kPictureSize);
    picture_->setAlignment(Qt::AlignCenter);
    picture_->setFrameShape(QFrame::StyledPanel);
    picture_->setWordWrap(true);
    picture_->setAccessibleName(tr("What it saw here"));
    for (Row& row : rows()) {
      row.value = new QLabel;
      row.value->setWordWrap(true);
      row.value->setTextFormat(Qt::PlainText);
      row.value->setTextInteractionFlags(Qt::TextSelectableByMouse);
      row.value->setAccessibleName(row.title);
      auto* title = new QLabel(row.title);
      title->setAlignment(Qt::AlignTop);  // beside the first of several lines
      card_->addRow(title, row.value);
    }
    card_->setRowWrapPolicy(QFormLayout::WrapLongRows);
    auto* about = new QWidget;
    about->setLayout(card_);
    auto* scrolled = new QScrollArea;
    scrolled->setWidget(about);
    scrolled->setWidgetResizable(true);
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setAccessibleName(tr("About the model"));
    auto* right = new QVBoxLayout;
    right->addWidget(picture_, 0, Qt::AlignHCenter);
    right->addWidget(scrolled, 1);
    auto* columns = new QHBoxLayout;
    columns->addWidget(list_, 2);
    columns->addLayout(right, 3);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel);
    open_ = buttons->button(QDialogButtonBox::Open);
    auto* file = buttons->addButton(tr("&File ..."), QDialogButtonBox::ActionRole);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(buttons);
    resizeOnScreen(this, {780, 560});
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(file, &QPushButton::clicked, this, &ModelDialog::chooseFile);
    connect(list_, &QListWidget::currentItemChanged, this, &ModelDialog::showCard);
    connect(list_, &QListWidget::itemActivated, this, [this] {
      if (open_->isEnabled()) accept();
    });
    if (!current.isEmpty()) {
      models.removeAll(current);
      models.prepend(current);
    }
    for (const QString& model : models) add(model);
    list_->setCurrentRow(0);
    if (list_->count() == 0) open_->setEnabled(false);
  }

  /// The chosen one's file; empty: none.
  QString path() const {
    const QListWidgetItem* item = list_->currentItem();
    return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
  }

  /// What is remembered of a model is another since it was listed.
  void refresh(const QString& model) {
    for (int row = 0; row < list_->count(); ++row)
      if (list_->item(row)->data(Qt::UserRole) == model) showIcon(*list_->item(row));
    if (path() == model) showCard();
  }

  /// Into the list, where it is not there yet, and chosen.
  void offer(const QString& path) {
    int row = 0;
    while (row < list_->count() && list_->item(row)->data(Qt::UserRole) != path) ++row;
    if (row == list_->count()) add(path);
    list_->setCurrentRow(row);
  }

 private:
  static constexpr QSize kIconSize{64, 48};

  struct Row {
    QString title;
    QLabel* value = nullptr;
  };
  struct Card {
    QString fault;  // why it cannot be read; the others are empty then
    QString classes, trained, merges, encoder;
  };

  QList<Row>& rows() {
    if (rows_.isEmpty())
      rows_ = {{tr("File"), nullptr},    {tr("Classes"), nullptr}, {tr("Trained on"), nullptr},
               {tr("Merging"), nullptr}, {tr("Network"), nullptr}, {tr("Speed here"), nullptr}};
    return rows_;
  }

  void add(const QString& path) {
    auto* item = new QListWidgetItem(QFileInfo(path).completeBaseName(), list_);
    item->setData(Qt::UserRole, path);
    item->setToolTip(path);
    showIcon(*item);
  }

  void showIcon(QListWidgetItem& item) const {
    QImage image = ModelShelf::of(item.data(Qt::UserRole).toString()).picture;
    if (image.isNull()) {
      image = QImage(kIconSize, QImage::Format_RGB32);
      image.fill(palette().color(QPalette::Midlight));
    }
    item.setIcon(
        QPixmap::fromImage(image.scaled(kIconSize, Qt::KeepAspectRatio, Qt::SmoothTransformation)));
  }

  void chooseFile() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a model"), QFileInfo(this->path()).path(),
                                     tr("ONNX models (*.onnx);;All files (*)"));
    if (!path.isEmpty()) offer(path);
  }

  // What costs nothing at once; what has to be read from the file when a thread has read it.
  void showCard() {
    const QString model = path();
    open_->setEnabled(!model.isEmpty());
    const ModelShelf::Remembered known = ModelShelf::of(model);
    if (known.picture.isNull()) {
      picture_->setText(tr("No picture of it is kept here yet."));
    } else {
      picture_->setPixmap(QPixmap::fromImage(known.picture));
    }
    for (int row = 0; row < rows_.size(); ++row) write(row, {});
    write(0, model);
    rows_[0].value->setPalette(palette());
    write(5,
          known.ms
              ? unbroken(
                    tr("%1 ms a frame (%2)").arg(QLocale().toString(*known.ms, 'f', 0), known.way))
              : tr("It has not run here yet."));
    computeAside(
        this, [model] { return cardOf(model); },
        [this, model](const Card& card) {
          if (path() == model) fill(card);
        });
  }

  // What is not known has no row.
  void write(int row, const QString& words) {
    rows_[row].value->setText(words);
    card_->setRowVisible(row, !words.isEmpty());
  }

  void fill(const Card& card) {
    if (!card.fault.isEmpty()) {
      write(0, card.fault);
      rows_[0].value->setPalette(faultPalette(palette()));
      open_->setEnabled(false);
      return;
    }
    write(1, card.classes);
    write(2, card.trained);
    write(3, card.merges);
    write(4, card.encoder);
  }

  static Card cardOf(const QString& model) {
    Card card;
    try {
      const mpm::Description known = mpm::describe(model.toStdString());
      QStringList classes;
      for (const std::string& name :
           segment::factsOfModel(model.toStdString(), known.metadata).classes)
        classes << QString::fromStdString(name);
      card.classes = classes.isEmpty() ? tr("Its file does not name them.")
                                       : tr("%1: %2").arg(QLocale().toString(classes.size()),
                                                          classes.join(QStringLiteral(", ")));
      card.trained = trainedOn(known.metadata);
      card.merges =
          known.mergeable
              ? tr("Tokens merge before any of its %1 blocks.").arg(known.blocks)
              : tr("It runs, but cannot merge: %1.").arg(WhyNotMerging::words(known.reason));
      card.encoder = tr("Input %1 x %2 pixels").arg(known.input.width).arg(known.input.height);
      if (known.mergeable)
        card.encoder += QStringLiteral(", ") + tr("%1 tokens of %2 features")
                                                   .arg(QLocale().toString(known.grid.area()))
                                                   .arg(known.dim);
    } catch (const std::exception& fault) {
      card.fault = QString::fromUtf8(fault.what());
    }
    return card;
  }

  static QString trainedOn(const std::map<std::string, std::string>& metadata) {
    QStringList words;
    const auto said = [&](const char* key) {
      const auto found = metadata.find(key);
      return found == metadata.end() ? QString() : QString::fromStdString(found->second);
    };
    if (const QString data = said("mpm.data"); !data.isEmpty()) words << data + QLatin1Char('.');
    if (const QString taught = said("mpm.taught"); !taught.isEmpty())
      words << tr("Taught on %1.").arg(taught);
    if (words.isEmpty()) words << tr("Its file does not say.");
    if (const QString licence = said("mpm.licence"); !licence.isEmpty())
      words << tr("Licence: %1.").arg(licence);
    return words.join(QLatin1Char(' '));
  }

  QListWidget* list_;
  QLabel* picture_;
  QFormLayout* card_;
  QPushButton* open_ = nullptr;
  QList<Row> rows_;
};

}  // namespace mpm::gui
