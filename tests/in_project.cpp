// SPDX-License-Identifier: Apache-2.0
#include "in_project.h"

namespace mpm::test {

std::string inProject(const std::string& path) { return MPM_PROJECT "/" + path; }

}  // namespace mpm::test
