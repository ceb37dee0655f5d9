// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/token.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <strings.h>

#include <algorithm>
#include <stdexcept>

namespace mpm::monitor {
namespace {

bool isIpv4Loopback(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

// httplib decodes what follows a % in headers, too.
bool isBearerOf(const httplib::Request& request, const std::string& token) {
  const std::string given = request.get_header_value("Authorization");
  return isBearer(given, token) || isBearer(given, httplib::detail::decode_url(token, false));
}

}  // namespace

bool isSameToken(std::string_view given, std::string_view right) {
  if (right.empty()) return false;
  volatile unsigned difference = given.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto a = static_cast<unsigned char>(given[i]);
    const auto b = static_cast<unsigned char>(right[i % right.size()]);
    difference = difference | (a ^ b);
  }
  return difference == 0;
}

bool isBearer(std::string_view authorization, std::string_view right) {
  constexpr std::string_view word = "bearer ";
  if (strncasecmp(std::string(authorization).c_str(), word.data(), word.size()) != 0) return false;
  authorization.remove_prefix(word.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return isSameToken(authorization, right);
}

void checkListening(const std::string& address, int port, const std::string& token) {
  if (address.empty()) {
    throw std::runtime_error(
        "the HTTP server needs an address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 "
        "with a token for others");
  }
  if (port < 0 || port > 65535)
    throw std::runtime_error("the HTTP port must be from 1 to 65535, or 0 for any free one");
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  if (!printable) {
    throw std::runtime_error(
        "the HTTP token must consist of printable ASCII characters without spaces, such as the "
        "output of: openssl rand -hex 32");
  }
  if (token.empty() && !isOwnAddress(address)) {
    throw std::runtime_error("listening on " + address +
                             " needs a token, since others can reach it; without one, listen on "
                             "127.0.0.1, ::1 or localhost");
  }
}

/// Why a request is not answered; nothing: it is.
std::optional<Page> refusalOf(const httplib::Request& request, const std::string& token) {
  constexpr const char* kType = "text/plain; charset=utf-8";
  const auto [host, end] = request.headers.equal_range("Host");
  const bool isForHere = std::all_of(host, end, [](const auto& header) {
    return header.second.empty() || isOwnHost(header.second);
  });
  if (request.method != "GET" && request.method != "HEAD")
    return Page{405, "only GET and HEAD are answered here\n", kType, {"Allow", "GET, HEAD"}};
  if (token.empty() && !isForHere)
    return Page{403,
                "without a token only requests to localhost are answered, and this one names "
                "another host\n"};
  if (!token.empty() && !isSameToken(request.get_param_value("token"), token) &&
      !isBearerOf(request, token))
    return Page{401,
                "a token is needed: Authorization: Bearer TOKEN, or ?token=TOKEN\n",
                kType,
                {"WWW-Authenticate", "Bearer"}};
  return {};
}

bool isOwnAddress(const std::string& address) {
  return address == "localhost" || address == "::1" || address == "[::1]" ||
         isIpv4Loopback(address);
}

bool isOwnHost(const std::string& host) {
  std::string name = host;
  const std::size_t bracket = name.rfind(']'), colon = name.rfind(':');
  const bool hasPort = colon != std::string::npos &&
                       (bracket == std::string::npos ? name.find(':') == colon : colon > bracket);
  if (hasPort) name.resize(colon);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return isOwnAddress(name);
}

}  // namespace mpm::monitor
