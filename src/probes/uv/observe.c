/* SPDX-License-Identifier: MIT */
/* Observes callbacks. */
#include "observe.h"

#include "atomic.h"

#include <string.h>

/* The first call finds out; if several threads do, they find the same. */
bool observe_begins(void)
{
	enum { UNKNOWN, USABLE, USELESS };
	static uint32_t known;
	uint32_t found = load(&known, RELAXED);

	if (found == UNKNOWN) {
		found = hotpath__probe_opens(sizeof(struct thread)) ? USABLE : USELESS;
		if (found == USABLE)
			hotpath__probe_begins();
		store(&known, found, RELAXED);
	}
	return found == USABLE;
}

static uint32_t site_of(const void *object, const char *name, uintptr_t code)
{
	uint32_t site = label_site(HP_SITE_FUTURE, object);

	return site ? site : hotpath__flow_site(HP_SITE_FUTURE, name, code);
}

struct flight *observe_code(const void *object, function_t ours, void *field, const char *name,
			    uintptr_t code)
{
	uint32_t site = observe_begins() ? site_of(object, name, code) : 0;
	struct flight *flight = site ? flight_new((uintptr_t)object) : NULL;

	if (!flight)
		return NULL;
	flight->ours = ours;
	flight->field = field;
	flight->site = site;
	flight->begun = hotpath__probe_ticks();
	return flight;
}

struct flight *observe(const void *object, function_t callback, function_t ours, void *field,
		       const char *name)
{
	if (!object || !callback || callback == ours || libuv_has((uintptr_t)callback))
		return NULL;
	struct flight *flight = observe_code(object, ours, field, name, (uintptr_t)callback);
	if (flight)
		flight->callback = callback;
	return flight;
}

static void make_future(struct hotpath_future *future, uint32_t id)
{
	struct hotpath_site site = { .kind = HOTPATH_SITE_FUTURE, .id = id };

	hotpath_future_new(future, &site);
}

/* A future that began while nothing was recorded has no token. */
static void end_future(struct hotpath_future *future, bool is_cancelled)
{
	if (!future->token)
		return;
	if (is_cancelled)
		hotpath_future_cancel(future);
	else
		hotpath_future_ready(future);
}

/* Free a flight that was taken out of the table, and end its future. */
static void drop(struct flight *flight)
{
	if (!flight)
		return;
	if (flight->has_future)
		end_future(&flight->future, !flight->has_run);
	flight_free(flight);
}

static void begin_future(struct flight *flight)
{
	make_future(&flight->future, flight->site);
	flight->has_future = true;
}

/* The future begins at the time of the call of libuv, but is created only after libuv has accepted the request. */
void observe_launch(struct flight *flight)
{
	if (!flight->is_sent_for) {
		begin_future(flight);
		flight->future.start = flight->begun;
	}
	drop(flight_put(flight));
}

int observe_result(struct flight *flight, int result)
{
	if (flight && result < 0)
		flight_free(flight);
	else if (flight)
		observe_launch(flight);
	return result;
}

void observe_sent(const void *handle)
{
	bool is_held;
	struct flight *flight = flight_hold((uintptr_t)handle, &is_held);

	if (flight && flight->is_sent_for && !flight->has_future)
		begin_future(flight);
	flight_release((uintptr_t)handle, is_held);
}

static void set_field(const struct flight *flight, function_t callback)
{
	memcpy(flight->field, &callback, sizeof(callback));
}

static bool has_field(const struct flight *flight, function_t callback)
{
	return memcmp(flight->field, &callback, sizeof(callback)) == 0;
}

/* The program's callback is put back, because libuv may call it without a new start: uv_timer_again restarts a
   stopped timer. */
void observe_stop(const void *handle, function_t ours)
{
	struct flight *flight = flight_find((uintptr_t)handle);

	if (!flight || (ours && flight->ours != ours))
		return;
	if (has_field(flight, flight->ours))
		set_field(flight, flight->callback);
	drop(flight_take((uintptr_t)handle));
}

/* ---- steps ---- */

static void begin(struct step *step, struct flight *flight)
{
	step->callback = flight->callback;
	step->future = flight->future;
	flight->has_future = false;
	set_field(flight, flight->callback);
	if (flight->was_served)
		hotpath__future_served(&step->future, flight->queued, flight->served);
}

static void begin_poll(struct step *step)
{
	if (!step->callback)
		return;
	step->begun = hotpath__probe_ticks();
	hotpath_poll_begin(&step->poll, &step->future);
}

/* The flight is removed first: the program may do anything with the request in its callback. */
void step_last(struct step *step, const void *object)
{
	struct flight *flight = flight_take((uintptr_t)object);

	*step = (struct step){ .key = (uintptr_t)object };
	if (!flight)
		return;
	begin(step, flight);
	flight_free(flight);
	begin_poll(step);
}

/* The future is moved to the stack for the time of the step: the program may stop the handle, and start it again
   with another one. */
void step_next(struct step *step, const void *handle)
{
	bool is_held;
	struct flight *flight = flight_hold((uintptr_t)handle, &is_held);

	*step = (struct step){ .key = (uintptr_t)handle };
	if (flight) {
		if (!flight->has_future)
			begin_future(flight);
		begin(step, flight);
		step->number = flight->number;
	}
	flight_release((uintptr_t)handle, is_held);
	begin_poll(step);
}

/* Put the future back after a step. Returns whether it goes on: not if the handle was stopped, or has another
   future now. */
static bool put_back(struct step *step)
{
	bool is_held;
	struct flight *flight = flight_hold(step->key, &is_held);
	bool goes_on = flight && flight->number == step->number;

	if (goes_on && has_field(flight, flight->callback))
		set_field(flight, flight->ours);
	goes_on = goes_on && !flight->is_sent_for && !flight->has_future;
	if (goes_on) {
		flight->future = step->future;
		flight->has_future = flight->has_run = true;
	}
	flight_release(step->key, is_held);
	return goes_on;
}

void step_end(struct step *step, int64_t status)
{
	if (step->callback) {
		hotpath_poll_end(&step->poll);
		loop_ran(hotpath__probe_ticks() - step->begun, step->future.site);
	}
	if (!step->number || !put_back(step))
		end_future(&step->future, status == UV_ECANCELED);
}
