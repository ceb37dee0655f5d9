// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A runner whose device is memory of its own, and whose layers are those of the processor: what a
/// net gives on it is what it gives without, to the bit. A module, as a runner is; tests find these
/// by dlsym. Of HOST_RUNNER_FAILS_WHILE, a path: while a file is there every call throws.
extern "C" {

/// What happened in this process since hostRunnerReset.
struct HostRunnerCounts {
  int uploads, downloads, calls;  ///< `uploads`: inputs of a call that came from the host
  long uploadedFloats, downloadedFloats;
  int layers;     ///< that were asked for
  int blobs;      ///< on the device now; resetting does not touch it
  int mostBlobs;  ///< that were there at once
};

using HostRunnerGetCounts = HostRunnerCounts();

/// `without`: the kinds that it does not compute, as "mpm.Linear,mpm.MeanRows"; `failing`: the
/// names of layers whose calls throw.
using HostRunnerReset = void(const char* without, const char* failing);

}  // extern "C"
