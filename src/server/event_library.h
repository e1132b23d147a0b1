/* SPDX-License-Identifier: MIT */
/* The functions of libevent, which is loaded when a server is started: few commands need it. */
#ifndef HP_EVENT_LIBRARY_H
#define HP_EVENT_LIBRARY_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/util.h>

#include <stdbool.h>

/* clang-format off */
#define EVENT_SYMBOLS(SYMBOL) \
	SYMBOL(bufferevent_get_output) \
	SYMBOL(bufferevent_getfd) \
	SYMBOL(bufferevent_set_timeouts) \
	SYMBOL(bufferevent_setwatermark) \
	SYMBOL(bufferevent_socket_new) \
	SYMBOL(evbuffer_add) \
	SYMBOL(evbuffer_add_reference) \
	SYMBOL(evbuffer_free) \
	SYMBOL(evbuffer_get_length) \
	SYMBOL(evbuffer_new) \
	SYMBOL(evbuffer_pullup) \
	SYMBOL(evconnlistener_disable) \
	SYMBOL(evconnlistener_enable) \
	SYMBOL(evconnlistener_free) \
	SYMBOL(evconnlistener_new) \
	SYMBOL(event_add) \
	SYMBOL(event_base_dispatch) \
	SYMBOL(event_base_foreach_event) \
	SYMBOL(event_base_free) \
	SYMBOL(event_base_loopbreak) \
	SYMBOL(event_base_new) \
	SYMBOL(event_base_update_cache_time) \
	SYMBOL(event_free) \
	SYMBOL(event_get_callback_arg) \
	SYMBOL(event_get_events) \
	SYMBOL(event_get_version) \
	SYMBOL(event_new) \
	SYMBOL(event_set_log_callback) \
	SYMBOL(evhttp_add_header) \
	SYMBOL(evhttp_bind_listener) \
	SYMBOL(evhttp_connection_free) \
	SYMBOL(evhttp_connection_get_bufferevent) \
	SYMBOL(evhttp_connection_set_closecb) \
	SYMBOL(evhttp_find_header) \
	SYMBOL(evhttp_free) \
	SYMBOL(evhttp_new) \
	SYMBOL(evhttp_request_get_command) \
	SYMBOL(evhttp_request_get_connection) \
	SYMBOL(evhttp_request_get_input_buffer) \
	SYMBOL(evhttp_request_get_input_headers) \
	SYMBOL(evhttp_request_get_output_headers) \
	SYMBOL(evhttp_request_get_uri) \
	SYMBOL(evhttp_request_set_on_complete_cb) \
	SYMBOL(evhttp_send_reply) \
	SYMBOL(evhttp_send_reply_chunk) \
	SYMBOL(evhttp_send_reply_end) \
	SYMBOL(evhttp_send_reply_start) \
	SYMBOL(evhttp_set_allowed_methods) \
	SYMBOL(evhttp_set_bevcb) \
	SYMBOL(evhttp_set_gencb) \
	SYMBOL(evhttp_set_max_body_size) \
	SYMBOL(evhttp_set_max_headers_size) \
	SYMBOL(evutil_ascii_strcasecmp)
/* clang-format on */

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name is that of a member. */
#define EVENT_POINTER(name) __typeof__(name) *name;
struct hp_event_library {
	EVENT_SYMBOLS(EVENT_POINTER)
};
#undef EVENT_POINTER

/** Its functions, by their own names: libevent.event_new(…). */
extern struct hp_event_library libevent;

#define HP_EVENT_FILE "libevent_extra-2.1.so.7"

/** Load the library; false when it is not there. */
bool hp_event_library_load(void);

#endif
