// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::bench {

double threadMs();   ///< of a core, that this thread has used
double processMs();  ///< the same of all threads
/// The same of Qt's own pool, which scales pictures for the GUI's thread.
double qtPoolMs();
double residentMb();  ///< memory of this process

}  // namespace mpm::bench
