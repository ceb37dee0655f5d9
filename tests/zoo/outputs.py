# SPDX-License-Identifier: Apache-2.0
"""The files that `mpm run` writes."""


def file_name(output):
    characters = output.encode().decode("latin1")  # mpm goes by bytes
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in characters) + ".npy"
