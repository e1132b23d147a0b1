/* SPDX-License-Identifier: MIT */
/* An HTTP server for what programs of this machine measure. */
#include "server.h"

#include "listening.h"
#include "marks.h"
#include "now.h"
#include "request.h"
#include "route.h"
#include "server_state.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	HEADERS_MAX = 8 * 1024,
	BODY_MAX = 64 * 1024,
	/* Descriptors for connections, segments, and files with symbols. */
	FILES_WANTED = 4096,
	/* One of so many may be a connection. */
	CONNECTIONS_PART = 4,
	SIGNALS = 3,
};

/* A method that is none of these is refused by libevent. */
enum {
	METHODS = EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT |
		  EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_PATCH,
};

static const int signals[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

/* ---- a request ---- */

/* One line a second at most: whoever asks decides how many are refused. */
static void log_refused(struct hp_server *server, const struct hp_request *request, int status)
{
	struct hp_text line = HP_TEXT_INIT;
	uint64_t now = hp_now_ns();

	if (server->logged_ns && now - server->logged_ns < UINT64_C(1000000000)) {
		server->unlogged++;
		return;
	}
	hp_text_puts(&line, "refused a request");
	/* A target that cannot be taken apart has no path. */
	if (*request->query.path)
		hp_text_printf(&line, " for %.100s", request->query.path);
	hp_text_printf(&line, " with status %d", status);
	if (server->unlogged)
		hp_text_printf(&line, ", and %" PRIu64 " before it", server->unlogged);
	if (!line.failed)
		server->log(line.bytes);
	hp_text_free(&line);
	server->logged_ns = now;
	server->unlogged = 0;
}

static void refuse(struct hp_request *request, int status, const char *problem)
{
	log_refused(request->server, request, status);
	if (status == 401)
		hp_request_add_header(request, "WWW-Authenticate", "Bearer");
	hp_request_fail(request, status, "%s", problem);
}

static struct hp_claim claim_of(const struct hp_request *request)
{
	struct hp_claim claim = { .host = hp_request_header(request, "Host"),
				  .origin = hp_request_header(request, "Origin"),
				  .authorization = hp_request_header(request, "Authorization"),
				  .cookie = hp_request_header(request, "Cookie"),
				  .token = hp_request_value(request, "token") };
	const struct evkeyval *header = TAILQ_FIRST(
		libevent.evhttp_request_get_input_headers(request->http));

	for (; header; header = TAILQ_NEXT(header, next))
		claim.hosts += libevent.evutil_ascii_strcasecmp(header->key, "Host") == 0;
	return claim;
}

/* The address with the token becomes one without it, and a cookie: the token is not left in the browser's history. */
static void give_cookie(struct hp_request *request)
{
	const struct hp_access *access = &request->server->access;
	struct hp_text cookie = HP_TEXT_INIT, empty = HP_TEXT_INIT;

	hp_access_put_cookie_name(access, &cookie);
	hp_text_printf(&cookie, "=%s; Path=/; HttpOnly; SameSite=Strict", access->token);
	if (!cookie.failed)
		hp_request_add_header(request, "Set-Cookie", cookie.bytes);
	hp_text_free(&cookie);
	hp_request_add_header(request, "Location", "/");
	hp_request_answer(request, 303, "text/plain; charset=utf-8", &empty);
}

static bool is_method(const struct hp_request *request, const struct hp_route *route)
{
	enum evhttp_cmd_type command = libevent.evhttp_request_get_command(request->http);

	return route->takes_post ? command == EVHTTP_REQ_POST
				 : command == EVHTTP_REQ_GET || command == EVHTTP_REQ_HEAD;
}

static void find_route(struct hp_request *request)
{
	const struct hp_route *route = hp_route_find(request->query.path);
	struct hp_text paths = HP_TEXT_INIT;

	if (!route) {
		hp_routes_put(&paths);
		hp_request_fail(request, 404, "there is no such path; there are %s",
				paths.bytes ? paths.bytes : "others");
		hp_text_free(&paths);
		return;
	}
	if (!is_method(request, route)) {
		const char *methods = route->takes_post ? "POST" : "GET, HEAD";
		hp_request_add_header(request, "Allow", methods);
		hp_request_fail(request, 405, "%s takes %s", route->path, methods);
		return;
	}
	request->route = route;
	if (*request->server->access.token && strcmp(route->path, "/") == 0 &&
	    hp_request_value(request, "token"))
		give_cookie(request);
	else
		route->answer(request);
}

static void handle(struct evhttp_request *http, void *context)
{
	struct hp_request *request = hp_request_new(context, http);
	const char *problem = "";

	if (!request) {
		libevent.evhttp_send_reply(http, 503, NULL, NULL);
		return;
	}
	int status = hp_query_parse(&request->query, libevent.evhttp_request_get_uri(http),
				    &problem)
			     ? 400
			     : 0;
	if (!status) {
		struct hp_claim claim = claim_of(request);
		status = hp_access_judge(&request->server->access, &claim, &problem);
	}
	if (status)
		refuse(request, status, problem);
	else
		find_route(request);
}

/* ---- the server ---- */

static void stop(evutil_socket_t number, short what, void *context)
{
	struct hp_server *server = context;

	(void)number;
	(void)what;
	libevent.event_base_loopbreak(server->base);
}

/* A signal that is ignored, as under nohup, stays so. */
static void await_signals(struct hp_server *server, struct event *events[SIGNALS])
{
	struct sigaction action;

	for (size_t i = 0; i < SIGNALS; i++) {
		if (sigaction(signals[i], NULL, &action) || action.sa_handler == SIG_IGN)
			continue;
		events[i] = libevent.event_new(server->base, signals[i], EV_SIGNAL | EV_PERSIST,
					       stop, server);
		if (events[i])
			libevent.event_add(events[i], NULL);
	}
}

static void silence(int severity, const char *message)
{
	(void)severity;
	(void)message;
}

/* Raise the limit of open files. Returns how many connections there may be: the rest is for segments and symbols. */
static size_t find_limit(void)
{
	struct rlimit limit = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < FILES_WANTED) {
		limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	rlim_t part = limit.rlim_cur / CONNECTIONS_PART;
	return part < HP_CONNECTIONS_MAX ? (size_t)part + 1 : HP_CONNECTIONS_MAX;
}

/* Give the descriptor to libevent; false when memory ran out. */
static bool prepare(struct hp_server *server, int file)
{
	server->base = libevent.event_base_new();
	server->http = server->base ? libevent.evhttp_new(server->base) : NULL;
	server->marks = server->http ? hp_marks_new(server->base, server->programs) : NULL;
	server->connections = server->marks ? hp_connections_new(server->base) : NULL;
	if (server->connections)
		server->listener = libevent.evconnlistener_new(
			server->base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0,
			file);
	if (!server->listener) {
		close(file);
		return false;
	}
	if (!libevent.evhttp_bind_listener(server->http, server->listener)) {
		libevent.evconnlistener_free(server->listener);
		return false;
	}
	hp_connections_limit(server->connections, server->listener, find_limit());
	libevent.evhttp_set_bevcb(server->http, hp_connections_accept, server->connections);
	libevent.evhttp_set_gencb(server->http, handle, server);
	libevent.evhttp_set_allowed_methods(server->http, METHODS);
	libevent.evhttp_set_max_headers_size(server->http, HEADERS_MAX);
	libevent.evhttp_set_max_body_size(server->http, BODY_MAX);
	return true;
}

static void serve(struct hp_server *server, const struct hp_server_options *options)
{
	struct event *events[SIGNALS] = { NULL };

	await_signals(server, events);
	options->started(&server->access, options->socket);
	libevent.event_base_dispatch(server->base);
	for (size_t i = 0; i < SIGNALS; i++)
		if (events[i])
			libevent.event_free(events[i]);
}

/* Connections first: their streams have timers. */
static void close_server(struct hp_server *server)
{
	if (server->http)
		libevent.evhttp_free(server->http);
	hp_connections_free(server->connections);
	hp_marks_free(server->marks);
	if (server->base)
		libevent.event_base_free(server->base);
}

static int open_socket(struct hp_server *server, const struct hp_server_options *options,
		       struct hp_error *error)
{
	int file = options->socket ? hp_listen_socket(options->socket, error)
				   : hp_listen_port(&server->access, error);

	if (file < 0 || options->socket || server->access.is_loopback || *server->access.token)
		return file;
	close(file);
	snprintf(error->text, sizeof(error->text),
		 "--no-token: %.100s can be reached by others; that needs a token",
		 server->access.address);
	return -EINVAL;
}

int hp_server_run(const struct hp_server_options *options, struct hp_programs *programs,
		  struct hp_error *error)
{
	struct hp_server server = { .access = options->access,
				    .programs = programs,
				    .mcp = options->mcp,
				    .metrics_limit = options->metrics_limit,
				    .log = options->log };

	if (!hp_event_library_load()) {
		snprintf(error->text, sizeof(error->text),
			 "%s cannot be loaded; install libevent 2.1 (libevent-extra-2.1-7)",
			 HP_EVENT_FILE);
		return -ENOENT;
	}
	int file = open_socket(&server, options, error);
	if (file < 0)
		return file;
	libevent.event_set_log_callback(silence);
	signal(SIGPIPE, SIG_IGN);
	bool is_ready = prepare(&server, file);
	if (is_ready)
		serve(&server, options);
	close_server(&server);
	if (options->socket)
		unlink(options->socket);
	if (!is_ready)
		snprintf(error->text, sizeof(error->text), "out of memory");
	return is_ready ? 0 : -ENOMEM;
}
