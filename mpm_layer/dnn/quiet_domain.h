// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::dnn {

/// OpenCV 4's importer warns of each node whose domain it does not know, and creates the layer all
/// the same. From here on, that one warning about the domain mpm does not reach std::cerr; all
/// others do. (Its logger can be silenced as a whole only, so the text is taken out on its way.)
void keepDomainQuiet();

}  // namespace mpm::dnn
