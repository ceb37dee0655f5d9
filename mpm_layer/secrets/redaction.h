// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::secrets {

/// Whether a text holds a password, or what may be one; a user's name alone is none.
bool holdsPassword(const std::string& text);

/// Any text in which addresses with secrets may stand (messages of libraries), without them: user
/// and password, and the values of query parts that may be secrets, become ***.
std::string withoutSecrets(const std::string& text);

/// FFmpeg writes addresses into its errors, a passphrase of SRT included: OpenCV has it say nothing
/// from here on, unless the user has set OPENCV_FFMPEG_LOGLEVEL. To be called before OpenCV first
/// opens anything, which is when it looks.
void keepFFmpegQuiet();

}  // namespace mpm::secrets
