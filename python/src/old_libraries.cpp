// SPDX-License-Identifier: Apache-2.0
// Of a wheel that is linked against glibc 2.31 (MPM_LINK_ROOT), but compiled with headers of a
// newer one.

// shared_ptr asks it since glibc 2.32. Not 1: a process with an interpreter may get threads.
extern "C" {
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
