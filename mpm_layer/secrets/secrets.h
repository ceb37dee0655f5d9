// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Secrets, such as the user and password of an address, or a token: how a program receives them,
/// and how it keeps them out of its output.
namespace mpm::secrets {

/// Returns the first line of a file, without blanks at its end. "credential:NAME" is the file NAME
/// that systemd gives a service (LoadCredential=, $CREDENTIALS_DIRECTORY). Throws
/// std::invalid_argument, in one sentence without the file's content, if it is missing, empty,
/// unreadable, or readable by everybody.
std::string readSecret(const std::string& file);

/// Returns readSecret(FILE) for "@FILE", so that nobody reads a password off a command line. Any
/// other text is returned as it is; a path that begins with @ is written ./@. Throws as readSecret
/// does, and if the file names another file.
std::string addressOf(const std::string& typed);

/// Tells whether a text holds a password, or what may be one. A user name alone is none.
bool holdsPassword(const std::string& text);

/// Removes secrets from addresses in any text, such as messages of libraries. User, password and
/// the values of query parts that may be secrets become ***.
std::string withoutSecrets(const std::string& text);

/// Silences FFmpeg in OpenCV, unless the user has set OPENCV_FFMPEG_LOGLEVEL. FFmpeg's errors
/// contain addresses, even a passphrase of SRT. Call it before OpenCV first opens anything, which
/// is when it reads the level.
void keepFFmpegQuiet();

}  // namespace mpm::secrets
