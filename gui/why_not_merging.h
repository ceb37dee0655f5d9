// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QRegularExpression>
#include <QString>
#include <QStringView>
#include <string>
#include <utility>

namespace mpm::gui {

/// Says why a model does not merge, in the window's language. Details of an unsupported block keep
/// the log's words, which name nodes: they are for whoever exported the model.
class WhyNotMerging {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::WhyNotMerging)

 public:
  /// `reason` comes from describe() or an engine, without a full stop.
  static QString words(const std::string& reason) {
    const QString given = QString::fromStdString(reason);
    static const QRegularExpression ofBlock(QStringLiteral("^block (\\d+): not supported: (.+)$"));
    if (const auto block = ofBlock.match(given); block.hasMatch())
      return tr("block %1 is not supported (%2)").arg(block.captured(1), block.captured(2));
    for (const auto& [whole, translated] :
         {std::pair(u"it has no transformer block", tr("it has no transformer block")),
          std::pair(u"it has no transformer block that is recognised",
                    tr("it has no transformer block that is recognised")),
          std::pair(u"none of its outputs needs the encoder's blocks",
                    tr("none of its outputs needs the encoder's blocks"))}) {
      if (given == QStringView(whole)) return translated;
    }
    return given;
  }
};

}  // namespace mpm::gui
