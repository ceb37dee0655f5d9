// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/clock/clock.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/prepared_session.h"

namespace mpm::monitor {

/// What a source's run is called in the record, with what it was made with.
RunFacts runFacts(const PreparedSession& prepared, const NamedSource& source, const Moment& begun);

/// Whether the newest run of the record had zones and ground elsewhere.
bool hasOtherPlaces(const RecordReader& reader, const NamedSource& source);

}  // namespace mpm::monitor
