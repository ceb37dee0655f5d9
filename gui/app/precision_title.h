// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <array>
#include <utility>

namespace mpm::gui {

/// A precision as the menu has it, in any language: "float32" for "fp32". One without a title: its
/// name.
inline QString precisionTitle(const QString& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 4> kTitles{
      {{"fp32", "float32"}, {"tf32", "TF32"}, {"bf16", "bfloat16"}, {"fp16", "float16"}}};
  for (const auto& [known, title] : kTitles)
    if (name == QLatin1String(known)) return QString::fromLatin1(title);
  return name;
}

}  // namespace mpm::gui
