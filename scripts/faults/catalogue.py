# SPDX-License-Identifier: Apache-2.0
"""All faults that can be tried: each is injected beside a good source, and has bounds for when it is told and mended."""

CASES = {}  # name: (function, whether it is one of the quick choice)


def case(name, quick=True):
    def add(function):
        CASES[name] = (function, quick)
        return function
    return add
