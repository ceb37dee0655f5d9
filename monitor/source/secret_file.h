// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::monitor {

/// The first line of a file, without blanks at its end. "credential:NAME" is the file NAME that
/// systemd hands a service (LoadCredential= in its unit, $CREDENTIALS_DIRECTORY).
/// std::invalid_argument, one sentence that holds nothing of the file: it is not there, may not be
/// read, may be read by everybody, or is empty.
std::string readSecret(const std::string& file);

}  // namespace mpm::monitor
