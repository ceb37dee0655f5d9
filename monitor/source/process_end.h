// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::monitor {

/// From its first call on, the end of the process (exit, or a return from main) is noticed. Where a
/// thread is then in a call that nobody waits for, the process ends at once, with its status and
/// with its streams flushed: what the call uses (libsrt's tables, a device) would be destroyed
/// under it.
void noticeProcessEnd();

/// Where the process is ending, this thread stops here for good: what it would use next may have
/// been destroyed already. For threads that nobody waits for.
void stopAtProcessEnd();

/// Of such threads: one was left behind in a call, one came back.
void noteThreadLeft();
void noteThreadBack();

}  // namespace mpm::monitor
