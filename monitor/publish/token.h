// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "monitor/publish/pages.h"

namespace httplib {
struct Request;
}

namespace mpm::monitor {

/// How long it takes depends on the length of `given` alone: it tells nothing about `right`.
bool isSameToken(std::string_view given, std::string_view right);

/// Whether a header's value is "Bearer" and `right`; the word may be written in any case.
bool isBearer(std::string_view authorization, std::string_view right);

/// std::runtime_error, one sentence without the token, where it could not be sent in a header, or
/// where there is none although others than this machine reach `address`; and where nobody can
/// listen at such an address or port.
void checkListening(const std::string& address, int port, const std::string& token);

/// What a request is answered that may not see the pages: of another method, of a page of
/// elsewhere, without the token. Nothing: it may.
std::optional<Page> refusalOf(const httplib::Request& request, const std::string& token);

/// Addresses that nobody but this machine reaches: 127.x.y.z, ::1 (also in brackets), localhost.
bool isOwnAddress(const std::string& address);

/// Whether a request's Host names this machine, with or without a port. A page of elsewhere whose
/// name was made to lead here (DNS rebinding) names itself.
bool isOwnHost(const std::string& host);

}  // namespace mpm::monitor
