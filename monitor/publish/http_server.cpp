// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <poll.h>
#include <strings.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace mpm::monitor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostConnections = 32;
constexpr std::chrono::seconds kRequestPatience{3}, kAnswerPatience{10};
constexpr std::chrono::milliseconds kLook{50};  // how soon it is seen that the server ends

/// Handles one request and its answer. httplib limits each read, write and line, but not their
/// number. A client that sends byte by byte would keep a thread, and one that sends endless headers
/// would take all memory.
class Connection final : public httplib::Stream {
 public:
  Connection(int socket, const std::atomic<bool>& ending) : socket_(socket), ending_(ending) {}

  ssize_t read(char* data, size_t size) override {
    if (given_ == received_) {
      if (received_ == request_.size() || !wait(POLLIN)) return -1;
      const ssize_t got = recv(socket_, &request_[received_], request_.size() - received_, 0);
      if (got <= 0) return got;
      received_ += static_cast<std::size_t>(got);
    }
    const std::size_t count = std::min(size, received_ - given_);
    std::memcpy(data, &request_[given_], count);
    given_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* data, size_t size) override {
    if (!std::exchange(isAnswering_, true)) until_ = Clock::now() + kAnswerPatience;
    return wait(POLLOUT) ? send(socket_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) : -1;
  }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }  // httplib refuses numbers from FD_SETSIZE on

 private:
  bool wait(short events) const {
    while (!ending_ && Clock::now() < until_) {
      pollfd socket{socket_, events, 0};
      if (poll(&socket, 1, static_cast<int>(kLook.count())) > 0) return true;
    }
    return false;
  }

  int socket_;
  const std::atomic<bool>& ending_;
  Clock::time_point until_ = Clock::now() + kRequestPatience;
  bool isAnswering_ = false;
  std::array<char, 8192> request_;
  std::size_t received_ = 0, given_ = 0;
};

bool isIpv4Loopback(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

/// Tells whether only this machine can reach it.
bool isOwnAddress(const std::string& address) {
  return address == "localhost" || address == "::1" || address == "[::1]" ||
         isIpv4Loopback(address);
}

/// Tells whether a request's Host, with or without a port, names this machine. A page from
/// elsewhere with a name that leads here (DNS rebinding) has its own name in it.
bool isOwnHost(std::string host) {
  const std::size_t port = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  host.resize(std::min(port, host.size()));
  return strcasecmp(host.c_str(), "localhost") == 0 || host == "[::1]" || isIpv4Loopback(host);
}

/// Takes time by the length of `given`, so that it reveals nothing about `right`.
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
  // Also compares the decoded token, since httplib decodes % in headers.
  return isSame(given, token) || isSame(given, httplib::detail::decode_url(token, false));
}

/// Returns the answer to a request that is refused; std::nullopt if it is accepted.
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

class HttpServer::Impl final : public httplib::Server {
 public:
  Impl(const HttpOptions& options, PageContent content)
      : token_(options.token), content_(std::move(content)), port_(options.port) {
    checkListening(options);
    content_.state = [this, state = content_.state] {
      PublishedState told = state();
      if (!token_.empty()) told.tokensRefused = tokensRefused_;
      return told;
    };
    new_task_queue = [this] { return new Queue(*this); };  // httplib deletes it
    set_idle_interval(kLook);
    // Leaves out httplib's SO_REUSEPORT, with which two servers would silently share a port.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // Answers are not cached, embedded in other pages or disclosed to them: an address may hold the
    // token.
    set_default_headers({{"Accept-Ranges", "none"},
                         {"Cache-Control", "no-store"},
                         {"Referrer-Policy", "no-referrer"},
                         {"X-Content-Type-Options", "nosniff"},
                         {"X-Frame-Options", "DENY"},
                         {"Cross-Origin-Resource-Policy", "same-origin"}});
    // Runs before httplib looks for a route or a body.
    set_pre_routing_handler([this](const auto& request, auto& response) {
      const std::optional<Page> refusal = refusalOf(request, token_);
      if (refusal && refusal->status == 401) ++tokensRefused_;
      const std::string token = request.get_param_value("token");
      return put(refusal ? *refusal : pageAt(request.path, token, content_), response);
    });
    set_exception_handler([](const auto&, auto& response, const auto&) {
      put({500, "this request could not be answered\n"},
          response);  // what was thrown may say anything
    });
    begin(options.address == "[::1]" ? "::1" : options.address);
  }

  ~Impl() override {
    ending_ = true;
    thread_.join();
  }

  int port() const { return port_; }

 private:
  /// Limits httplib's threads: a connection that finds all of them busy is refused. httplib's own
  /// queue is unlimited, and hundreds of silent clients would use up the files that cameras need.
  class Queue final : public httplib::TaskQueue {
   public:
    explicit Queue(Impl& server) : server_(server) {}

    using Enqueued = decltype(std::declval<TaskQueue&>().enqueue(nullptr));  // void, later bool
    Enqueued enqueue(std::function<void()> connection) override {
      on_idle();
      if (taken_ == kMostConnections) {
        connection();
      } else {
        ++taken_;
        threads_.enqueue([this, connection = std::move(connection)] {
          connection();
          --taken_;
        });
      }
      return Enqueued(true);
    }
    void on_idle() override {
      if (server_.ending_) server_.stop();
    }
    void shutdown() override { threads_.shutdown(); }

   private:
    Impl& server_;
    std::atomic<int> taken_{0};
    httplib::ThreadPool threads_{kMostConnections};
  };

  static HandlerResponse put(const Page& page, httplib::Response& response) {
    response.status = page.status;
    response.set_content(page.text, page.type);
    if (page.header.first != nullptr) response.set_header(page.header.first, page.header.second);
    return HandlerResponse::Handled;
  }

  void begin(const std::string& address) {
    const std::string asked = address + " port " + std::to_string(port_);
    errno = EADDRNOTAVAIL;  // where httplib finds none, and the system says nothing
    const bool isBound =
        port_ > 0 ? bind_to_port(address, port_) : (port_ = bind_to_any_port(address)) > 0;
    if (!isBound)
      throw std::system_error(errno, std::generic_category(), "cannot listen on " + asked);
    thread_ = std::thread([this, address] { run(address); });
  }

  /// Restarts httplib's loop, which ends for good if accept() fails, for example when the system is
  /// out of files or memory.
  void run(const std::string& address) {
    accepting_ = std::this_thread::get_id();
    listen_after_bind();
    while (!ending_) {
      std::this_thread::sleep_for(kLook);
      stop();  // later versions bind again only after it
      if (bind_to_port(address, port_)) listen_after_bind();
    }
  }

  bool process_and_close_socket(socket_t socket) override {
    if (std::this_thread::get_id() != accepting_) {
      try {
        Connection connection(socket, ending_);
        process(*this, connection);
      } catch (const std::exception&) {  // a request that cannot be read hurts no other
      }
    }
    return close(socket) == 0;
  }

  /// Adapts to httplib's signature, which differs between versions.
  template <typename Self>
  static void process(Self& self, Connection& connection) {
    bool isClosed = false;
    // Clears ranges: thousands of them could be requested at once, each as long as the whole.
    const auto prepare = [](httplib::Request& request) { request.ranges.clear(); };
    if constexpr (requires { self.process_request(connection, true, isClosed, prepare); }) {
      self.process_request(connection, true, isClosed, prepare);
    } else {
      self.process_request(connection, "", 0, "", 0, true, isClosed, prepare);
    }
  }

  const std::string token_;
  PageContent content_;
  std::atomic<std::uint64_t> tokensRefused_{0};
  int port_;
  std::atomic<bool> ending_{false};
  std::thread::id accepting_;
  std::thread thread_;
};

HttpServer::HttpServer(const HttpOptions& options, PageContent content)
    : impl_(std::make_unique<Impl>(options, std::move(content))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace mpm::monitor
