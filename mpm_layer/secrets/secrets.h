// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// What others may not read: of an address its user and password, a token; how it comes to a
/// program, and how it stays out of what is said.
namespace mpm::secrets {

/// The first line of a file, without blanks at its end. "credential:NAME" is the file NAME that
/// systemd hands a service (LoadCredential= in its unit, $CREDENTIALS_DIRECTORY).
/// std::invalid_argument, one sentence that holds nothing of the file: it is not there, may not be
/// read, may be read by everybody, or is empty.
std::string readSecret(const std::string& file);

/// "@FILE" is what readSecret gives of FILE, so that nobody reads a password off a command line;
/// any other text is itself, and a path that begins with @ is written ./@. The same faults, and
/// where the file names another one.
std::string addressOf(const std::string& typed);

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
