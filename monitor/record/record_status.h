// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mpm::monitor {

/// How writing a record goes.
struct RecordStatus {
  std::string fault;  ///< why nothing can be written now, or what befell the record a moment ago;
                      ///< empty while all is well
  std::uint64_t written = 0;  ///< rows since the start that can be read, replaced ones once
  std::uint64_t lost = 0;     ///< given up before they were written, or lost with a damaged record
  std::size_t waiting = 0;
  std::size_t waitingSeconds = 0;    ///< of these: seconds of figures
  bool isLeftBehind = false;         ///< at its end, by a disk that did not answer: what waits may
                                     ///< be in it, and what was written is not lost to a power cut
  std::string backupFault;           ///< why the last backup could not be made; empty: it could
  std::int64_t bytes = 0;            ///< database, snapshots, backups, what was set aside
  std::int64_t freeBytes = 0;        ///< on the disk
  std::optional<double> daysToFull;  ///< at the pace of the last day (or since the start); nothing:
                                     ///< it does not grow, or it is too early to say
};

}  // namespace mpm::monitor
