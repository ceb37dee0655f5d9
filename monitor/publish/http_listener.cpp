// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <system_error>

#include "monitor/publish/http_queue.h"

namespace mpm::monitor {
namespace {

// httplib asks for 5: the sixth that comes at once would wait a second for its next packet.
constexpr int kBacklog = 64;

HttpQuestion questionOf(const httplib::Request& request) {
  HttpQuestion question;
  question.method = request.method;
  question.path = request.path;
  question.host = request.get_header_value("Host");
  question.authorization = request.get_header_value("Authorization");
  if (request.has_param("token")) question.token = request.get_param_value("token");
  return question;
}

}  // namespace

HttpListener::HttpListener(const HttpPages& pages, HttpLoad& load) : pages_(pages), load_(load) {
  new_task_queue = [this] { return new HttpQueue(load_); };  // httplib deletes it
  // Without httplib's SO_REUSEPORT: with it two servers share a port, and neither says a word.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  // Before httplib looks at its own routes, so that none of its regular expressions runs.
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    HttpAnswer answer = pages_.answer(questionOf(request));
    response.status = answer.status;
    for (const auto& [name, value] : answer.headers) response.set_header(name, value);
    response.set_content(answer.body, answer.type);
    return HandlerResponse::Handled;
  });
}

int HttpListener::bind(const std::string& address, int port) {
  errno = 0;
  const int bound = port == 0 ? bind_to_any_port(address) : bind_to_port(address, port) ? port : -1;
  if (bound > 0) {
    ::listen(svr_sock_, kBacklog);
    return bound;
  }
  const int reason = errno;
  throw std::runtime_error(
      "cannot listen on " + address + " port " + std::to_string(port) + ": " +
      (reason == 0 ? "no such address here" : std::generic_category().message(reason)));
}

void HttpListener::serve() {
  accepting_ = std::this_thread::get_id();
  listen_after_bind();
}

/// httplib's signature differs from version to version.
template <typename Self>
void HttpListener::process(Self& self, httplib::Stream& exchange) {
  bool closed = false;
  const auto asItIs = [](httplib::Request&) {};
  if constexpr (requires { self.process_request(exchange, true, closed, asItIs); }) {
    self.process_request(exchange, true, closed, asItIs);
  } else {
    self.process_request(exchange, std::string(), 0, std::string(), 0, true, closed, asItIs);
  }
}

bool HttpListener::process_and_close_socket(socket_t socket) {
  const bool isTurnedAway = std::this_thread::get_id() == accepting_;
  if (!isTurnedAway) {
    try {
      HttpExchange exchange(socket, load_);
      if (exchange.receive()) process(*this, exchange);
      exchange.send();
    } catch (const std::exception&) {  // no memory: this connection alone suffers
    }
  }
  close(socket);
  return true;
}

}  // namespace mpm::monitor
