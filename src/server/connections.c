/* SPDX-License-Identifier: MIT */
/*
 * The connections of a server: how many there may be, and for how long each may keep us waiting.
 *
 * libevent does not tell when it frees a connection that has not sent a whole request. So the events that it waits for are
 * looked through: one that reads or writes has its bufferevent as argument. A bufferevent that is in none of them is gone,
 * unless it stays: a request that waits for its time has no events.
 */
#include "connections.h"

#include "now.h"

#include <stdlib.h>
#include <sys/socket.h>

#define SECOND_NS UINT64_C(1000000000)

enum {
	/* A larger request is refused; a client that sends more meanwhile is not read. */
	INPUT_MAX = 128 * 1024,
	/* A client that takes no byte for so many seconds is cut off by libevent. */
	WRITE_SECONDS = 10,
};

static const uint64_t most_ns[] = {
	[HP_CONNECTION_READS] = 10 * SECOND_NS,
	[HP_CONNECTION_ANSWERS] = 60 * SECOND_NS,
	[HP_CONNECTION_STAYS] = UINT64_MAX,
};

struct connection {
	/* Only to be used while libevent waits for it. */
	struct bufferevent *bufferevent;
	enum hp_connection_phase phase;
	uint64_t since_ns;
	/* libevent waits for it. */
	bool is_there;
};

struct hp_connections {
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *sweep;
	struct connection items[HP_CONNECTIONS_MAX];
	size_t count;
	size_t most;
	bool is_paused;
};

static struct connection *find(struct hp_connections *connections,
			       const struct bufferevent *bufferevent)
{
	for (size_t i = 0; i < connections->count; i++)
		if (connections->items[i].bufferevent == bufferevent)
			return &connections->items[i];
	return NULL;
}

/* Timers and our own events may have an argument where a bufferevent was that is gone. */
static int mark(const struct event_base *base, const struct event *event, void *context)
{
	bool is_of_socket = libevent.event_get_events(event) & (EV_READ | EV_WRITE);
	struct connection *connection =
		is_of_socket ? find(context, libevent.event_get_callback_arg(event)) : NULL;

	(void)base;
	if (connection)
		connection->is_there = true;
	return 0;
}

void hp_connection_cut(struct bufferevent *bufferevent)
{
	shutdown(libevent.bufferevent_getfd(bufferevent), SHUT_RDWR);
}

/* Forget those that are gone, and cut off those that take too long. */
static void look_through(struct hp_connections *connections)
{
	uint64_t now = hp_now_ns();
	size_t kept = 0;

	for (size_t i = 0; i < connections->count; i++)
		connections->items[i].is_there = false;
	libevent.event_base_foreach_event(connections->base, mark, connections);
	for (size_t i = 0; i < connections->count; i++) {
		struct connection *it = &connections->items[i];
		if (it->is_there && now - it->since_ns > most_ns[it->phase])
			hp_connection_cut(it->bufferevent);
		if (it->is_there || it->phase == HP_CONNECTION_STAYS)
			connections->items[kept++] = *it;
	}
	connections->count = kept;
}

static void pause_or_go_on(struct hp_connections *connections)
{
	bool is_full = connections->count == connections->most;

	if (is_full == connections->is_paused)
		return;
	connections->is_paused = is_full;
	if (is_full)
		libevent.evconnlistener_disable(connections->listener);
	else
		libevent.evconnlistener_enable(connections->listener);
}

/* Look again in a second, or sooner if somebody may be waiting to be accepted. */
static void sweep_later(const struct hp_connections *connections)
{
	struct timeval delay = { connections->is_paused ? 0 : 1,
				 connections->is_paused ? 100000 : 0 };

	if (connections->count)
		libevent.event_add(connections->sweep, &delay);
}

static void sweep(evutil_socket_t unused, short what, void *context)
{
	struct hp_connections *connections = context;

	(void)unused;
	(void)what;
	look_through(connections);
	pause_or_go_on(connections);
	sweep_later(connections);
}

struct hp_connections *hp_connections_new(struct event_base *base)
{
	struct hp_connections *connections = calloc(1, sizeof(*connections));

	if (!connections)
		return NULL;
	connections->base = base;
	connections->sweep = libevent.event_new(base, -1, 0, sweep, connections);
	if (connections->sweep)
		return connections;
	free(connections);
	return NULL;
}

void hp_connections_limit(struct hp_connections *connections, struct evconnlistener *listener,
			  size_t most)
{
	connections->listener = listener;
	connections->most = most;
}

static void remember(struct hp_connections *connections, struct bufferevent *bufferevent)
{
	struct connection *connection = find(connections, bufferevent);
	bool is_first = connections->count == 0;

	if (!connection)
		connection = &connections->items[connections->count++];
	*connection = (struct connection){ .bufferevent = bufferevent,
					   .phase = HP_CONNECTION_READS,
					   .since_ns = hp_now_ns() };
	if (is_first)
		sweep_later(connections);
}

struct bufferevent *hp_connections_accept(struct event_base *base, void *context)
{
	static const struct timeval write_timeout = { WRITE_SECONDS, 0 };
	struct hp_connections *connections = context;
	struct bufferevent *bufferevent = libevent.bufferevent_socket_new(base, -1, 0);

	if (!bufferevent)
		return NULL;
	libevent.bufferevent_set_timeouts(bufferevent, NULL, &write_timeout);
	libevent.bufferevent_setwatermark(bufferevent, EV_READ, 0, INPUT_MAX);
	remember(connections, bufferevent);
	pause_or_go_on(connections);
	return bufferevent;
}

void hp_connections_note(struct hp_connections *connections, struct bufferevent *bufferevent,
			 enum hp_connection_phase phase)
{
	struct connection *connection = find(connections, bufferevent);

	if (!connection)
		return;
	connection->phase = phase;
	connection->since_ns = hp_now_ns();
}

void hp_connections_free(struct hp_connections *connections)
{
	if (!connections)
		return;
	libevent.event_free(connections->sweep);
	free(connections);
}
