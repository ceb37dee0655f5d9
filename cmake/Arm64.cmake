# SPDX-License-Identifier: Apache-2.0
# A toolchain file: for 64-bit Arm, on another processor. The environment's MPM_ARM64_ROOT is a folder
# with Debian's packages for it (scripts/arm64-test makes one); tests run in QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(CMAKE_SYSROOT "$ENV{MPM_ARM64_ROOT}")
set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # protoc, for one, is this machine's
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Nothing ran when the packages were unpacked, so these two are not where everybody looks for them.
set(libraries "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu")
set(algebra "${libraries}/blas:${libraries}/lapack")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${algebra}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-rpath-link,${algebra}")
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-aarch64 -L "${CMAKE_SYSROOT}" -E "LD_LIBRARY_PATH=${algebra}")
