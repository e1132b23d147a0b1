/* SPDX-License-Identifier: MIT */
/*
 * The connections of a server: how many there may be, and for how long each may keep us waiting.
 *
 *	accepted ──► reading a request ──► answering ──► reading the next …
 *	             10 s at most          60 s at most, unless it is a stream or waits for its time
 *
 * A client that sends or takes a byte now and then never runs into a timeout of libevent: so it is cut off here. While there
 * are too many connections, no further one is accepted; they wait in the queue of the kernel.
 */
#ifndef HP_CONNECTIONS_H
#define HP_CONNECTIONS_H

#include "event_library.h"

enum {
	HP_CONNECTIONS_MAX = 128,
};

struct hp_connections;

/** What a connection does. */
enum hp_connection_phase {
	HP_CONNECTION_READS,
	HP_CONNECTION_ANSWERS,
	/** A stream, or a request that is answered later: as long as it takes. */
	HP_CONNECTION_STAYS,
};

/** Returns NULL when memory ran out. */
struct hp_connections *hp_connections_new(struct event_base *base);

/**
 * Limit the connections that a listener accepts.
 *
 * @param most
 *         How many, HP_CONNECTIONS_MAX at most. There must be descriptors for them: libevent would try to accept again and
 *         again without one.
 */
void hp_connections_limit(struct hp_connections *connections, struct evconnlistener *listener,
			  size_t most);

/** Make the bufferevent of a connection that was accepted; a callback of evhttp. */
struct bufferevent *hp_connections_accept(struct event_base *base, void *connections);

/** Note what a connection does from now on. */
void hp_connections_note(struct hp_connections *connections, struct bufferevent *bufferevent,
			 enum hp_connection_phase phase);

/** Cut a connection off; libevent then finds it closed. */
void hp_connection_cut(struct bufferevent *bufferevent);

/** NULL does nothing. */
void hp_connections_free(struct hp_connections *connections);

#endif
