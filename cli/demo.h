// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace mpm::cli {

/// Makes a command, of `mpm` or by itself, the demo.
void setUpDemo(CLI::App& command);

}  // namespace mpm::cli
