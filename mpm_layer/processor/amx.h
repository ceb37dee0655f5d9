// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::processor {

/// Whether this processor has AMX's tile registers with products of bfloat16, and the system lets
/// this process use them, which is asked for at the first call.
bool hasAmx();

}  // namespace mpm::processor
