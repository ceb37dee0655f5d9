// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evaluate/confusion.h"
#include "mpm/teach.h"
#include "teach/judge.h"

namespace mpm::teach {

/// What frames are painted with, before anything was learned: how many frames and which share of
/// the painted pixels show each class. IoUs are NaN.
Lesson lessonOf(const std::vector<std::string>& classes, const std::vector<Judged>& frames);

/// Adds which class needs another frame. `confusion`: what was taken for what in frames that were
/// kept back; the lesson's IoUs are those of it.
void advise(const evaluate::Confusion& confusion, Lesson& lesson);

}  // namespace mpm::teach
