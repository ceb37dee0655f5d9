// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <httplib.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "monitor/publish/token.h"

namespace mpm::monitor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostConnections = 32, kBacklog = 64;  // httplib's own backlog is 5
constexpr std::chrono::seconds kRequestPatience{3}, kAnswerPatience{10};
constexpr std::chrono::milliseconds kLook{50};  // how soon it is seen that the server ends

/// One request and its answer. httplib bounds each read, each write and each line; here all that a
/// client may take is bounded, in time and in bytes.
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

}  // namespace

class HttpServer::Impl final : public httplib::Server {
 public:
  Impl(const HttpOptions& options, PageContent content)
      : address_(options.address == "[::1]" ? "::1" : options.address),
        token_(options.token),
        content_(std::move(content)),
        port_(options.port) {
    checkListening(options.address, options.port, options.token);
    content_.state = [this, state = content_.state] {
      PublishedState told = state();
      if (!token_.empty()) told.tokensRefused = tokensRefused_;
      return told;
    };
    new_task_queue = [this] { return new Queue(*this); };  // httplib deletes it
    set_idle_interval(kLook);
    // Without httplib's SO_REUSEPORT: with it two servers share a port, and neither says a word.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // Nothing is kept by browsers or proxies, shown inside another page, or told to other pages:
    // an address may hold the token.
    set_default_headers({{"Accept-Ranges", "none"},
                         {"Cache-Control", "no-store"},
                         {"Referrer-Policy", "no-referrer"},
                         {"X-Content-Type-Options", "nosniff"},
                         {"X-Frame-Options", "DENY"},
                         {"Cross-Origin-Resource-Policy", "same-origin"}});
    // Before httplib looks for a route or a body.
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
    errno = EADDRNOTAVAIL;  // where httplib finds none, and the system says nothing
    if (!listens())
      throw std::system_error(
          errno, std::generic_category(),
          "cannot listen on " + address_ + " port " + std::to_string(options.port));
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() override {
    ending_ = true;
    thread_.join();
  }

  int port() const { return port_; }

 private:
  /// httplib's threads; a connection that finds all of them taken is turned away.
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

  bool listens() {
    const bool isBound =
        port_ > 0 ? bind_to_port(address_, port_) : (port_ = bind_to_any_port(address_)) > 0;
    return isBound && ::listen(svr_sock_, kBacklog) == 0;
  }

  /// Where the system is out of files httplib's loop ends: then another is begun.
  void run() {
    accepting_ = std::this_thread::get_id();
    listen_after_bind();
    while (!ending_) {
      std::this_thread::sleep_for(kLook);
      stop();  // later versions bind again only after it
      if (listens()) listen_after_bind();
    }
  }

  bool process_and_close_socket(socket_t socket) override {
    if (std::this_thread::get_id() != accepting_) {
      try {
        Connection connection(socket, ending_);
        process(*this, connection);
      } catch (const std::exception&) {  // no memory: this connection alone suffers
      }
    }
    return close(socket) == 0;
  }

  /// httplib's signature differs from version to version.
  template <typename Self>
  static void process(Self& self, Connection& connection) {
    bool isClosed = false;
    // Thousands of ranges could be asked for at once, each as long as the whole.
    const auto prepare = [](httplib::Request& request) { request.ranges.clear(); };
    if constexpr (requires { self.process_request(connection, true, isClosed, prepare); }) {
      self.process_request(connection, true, isClosed, prepare);
    } else {
      self.process_request(connection, "", 0, "", 0, true, isClosed, prepare);
    }
  }

  const std::string address_, token_;
  PageContent content_;
  std::atomic<std::uint64_t> tokensRefused_{0};
  std::atomic<int> port_;
  std::atomic<bool> ending_{false};
  std::thread::id accepting_;
  std::thread thread_;
};

HttpServer::HttpServer(const HttpOptions& options, PageContent content)
    : impl_(std::make_unique<Impl>(options, std::move(content))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace mpm::monitor
