# SPDX-License-Identifier: Apache-2.0
"""Refuses a processor that the extension was not compiled for, which would end the process otherwise."""

import platform
import re


def _flags() -> set[str] | None:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            found = re.search(r"^flags\s*:(.*)$", lines.read(), re.MULTILINE)
    except OSError:
        return None
    return set(found[1].split()) if found else None


_NEEDED = {"aes", "avx2", "bmi1", "bmi2", "f16c", "fma", "pclmulqdq"}

if platform.machine() == "x86_64" and (flags := _flags()) is not None and not _NEEDED <= flags:
    raise ImportError("mpm_dnn needs a processor with AVX2 (made since 2013)")
