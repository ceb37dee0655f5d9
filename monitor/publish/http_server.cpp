// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <strings.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr std::size_t kThreads = 32;  // browsers open several connections, and say nothing on some
constexpr std::chrono::seconds kPatience{3};  // with a client that neither sends nor reads

bool isIpv4Loopback(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

/// Whether nobody but this machine reaches it.
bool isOwnAddress(const std::string& address) {
  return address == "localhost" || address == "::1" || address == "[::1]" ||
         isIpv4Loopback(address);
}

/// Whether a request's Host, with or without a port, names this machine. A page of elsewhere whose
/// name was made to lead here (DNS rebinding) names itself.
bool isOwnHost(std::string host) {
  const std::size_t port = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  host.resize(std::min(port, host.size()));
  return strcasecmp(host.c_str(), "localhost") == 0 || host == "[::1]" || isIpv4Loopback(host);
}

/// Takes as long as `given` is, so that an answer's time tells nothing about `right`.
bool isSame(std::string_view given, std::string_view right) {
  volatile bool differs = given.size() != right.size();
  for (std::size_t i = 0; i < given.size(); ++i)
    differs = differs | (given[i] != right[i % right.size()]);
  return !differs;
}

bool holdsToken(const httplib::Request& request, const std::string& token) {
  constexpr std::string_view kBearer = "bearer ";  // in any case
  if (isSame(request.get_param_value("token"), token)) return true;
  std::string given = request.get_header_value("Authorization");
  if (strncasecmp(given.c_str(), kBearer.data(), kBearer.size()) != 0) return false;
  given.erase(0, given.find_first_not_of(' ', kBearer.size()));
  // httplib decodes what follows a % in headers, too.
  return isSame(given, token) || isSame(given, httplib::detail::decode_url(token, false));
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
  if (!token.empty() && !holdsToken(request, token))
    return Page{401,
                "a token is needed: Authorization: Bearer TOKEN, or ?token=TOKEN\n",
                kType,
                {"WWW-Authenticate", "Bearer"}};
  return {};
}

void checkListening(const HttpOptions& options) {
  const std::string& token = options.token;
  if (options.address.empty())
    throw std::runtime_error(
        "the HTTP server needs an address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 "
        "with a token for others");
  if (options.port < 0 || options.port > 65535)
    throw std::runtime_error("the HTTP port must be from 1 to 65535, or 0 for any free one");
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7F'; }))
    throw std::runtime_error(
        "the HTTP token must consist of printable ASCII characters without spaces, such as the "
        "output of: openssl rand -hex 32");
  if (token.empty() && !isOwnAddress(options.address))
    throw std::runtime_error("listening on " + options.address +
                             " needs a token, since others can reach it; without one, listen on "
                             "127.0.0.1, ::1 or localhost");
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const HttpOptions& options, PageContent content)
      : token_(options.token), content_(std::move(content)), port_(options.port) {
    checkListening(options);
    content_.state = [this, state = content_.state] {
      PublishedState told = state();
      if (!token_.empty()) told.tokensRefused = tokensRefused_;
      return told;
    };
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };  // deleted there
    server_.set_read_timeout(kPatience);
    server_.set_write_timeout(kPatience);
    server_.set_keep_alive_max_count(1);
    server_.set_keep_alive_timeout(kPatience.count());
    // Without httplib's SO_REUSEPORT: with it two servers share a port, and neither says a word.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // Nothing is kept by browsers or proxies, shown inside another page, or told to other pages:
    // an address may hold the token.
    server_.set_default_headers({{"Accept-Ranges", "none"},
                                 {"Cache-Control", "no-store"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"}});
    // Before httplib looks for a route or a body.
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      // Thousands of ranges could be asked for at once, each as long as the whole.
      const_cast<httplib::Request&>(request).ranges.clear();
      const std::optional<Page> refusal = refusalOf(request, token_);
      if (refusal && refusal->status == 401) ++tokensRefused_;
      const std::string token = request.get_param_value("token");
      return put(refusal ? *refusal : pageAt(request.path, token, content_), response);
    });
    server_.set_exception_handler([](const auto&, auto& response, const auto&) {
      put({500, "this request could not be answered\n"},
          response);  // what was thrown may say anything
    });
    begin(options.address == "[::1]" ? "::1" : options.address);
  }

  ~Impl() {
    // What does not run yet cannot be stopped.
    while (!server_.is_running() && !isOver_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }

 private:
  static httplib::Server::HandlerResponse put(const Page& page, httplib::Response& response) {
    response.status = page.status;
    response.set_content(page.text, page.type);
    if (page.header.first != nullptr) response.set_header(page.header.first, page.header.second);
    return httplib::Server::HandlerResponse::Handled;
  }

  void begin(const std::string& address) {
    const std::string asked = address + " port " + std::to_string(port_);
    errno = EADDRNOTAVAIL;  // where httplib finds none, and the system says nothing
    const bool isBound = port_ > 0 ? server_.bind_to_port(address, port_)
                                   : (port_ = server_.bind_to_any_port(address)) > 0;
    if (!isBound)
      throw std::system_error(errno, std::generic_category(), "cannot listen on " + asked);
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      isOver_ = true;
    });
  }

  const std::string token_;
  PageContent content_;
  std::atomic<std::uint64_t> tokensRefused_{0};
  int port_;
  httplib::Server server_;
  std::atomic<bool> isOver_{false};
  std::thread thread_;
};

HttpServer::HttpServer(const HttpOptions& options, PageContent content)
    : impl_(std::make_unique<Impl>(options, std::move(content))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace mpm::monitor
