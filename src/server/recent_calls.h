/* SPDX-License-Identifier: MIT */
/*
 * How long calls took since the last time: percentiles of what a histogram has more than it had then.
 *
 * Percentiles since the start of a program hardly change any more when it has run for an hour, whatever it does now.
 */
#ifndef HP_RECENT_CALLS_H
#define HP_RECENT_CALLS_H

#include "json_writer.h"
#include "programs.h"
#include "report_options.h"
#include "request.h"

enum {
	/** Functions of one client. */
	HP_RECENT_CALLS = 8,
};

struct hp_recent_function {
	char *name;
	/** Which of the functions with this name it is; 0 for the one with the most time. */
	uint32_t row_id;
	/** The function in the last model; 0 if it was not there. */
	uint32_t id;
	/** Its histogram when it was last told of, and the number of that reading; 0 for none. */
	struct hp_points before;
	uint64_t reading;
};

/** Zero-initialised. */
struct hp_recent_calls {
	struct hp_recent_function items[HP_RECENT_CALLS];
	size_t count;
	/** The session of the last model: in another one, calls are counted anew. */
	uint32_t session;
	/** The client has named them; or else they are those with the most time. */
	bool is_asked;
	/** When they were asked for: calls before that are none of theirs. */
	uint64_t began_ns;
};

/**
 * Take the names of functions, one on each line, from the query.
 *
 * @return
 *         False when the request was answered with what is wrong.
 */
bool hp_recent_calls_ask(struct hp_recent_calls *recent, struct hp_request *request);

/** Have the functions read at each reading of the program in the next so many nanoseconds. */
void hp_recent_calls_want(struct hp_recent_calls *recent, struct hp_program *program,
			  uint64_t for_ns);

/** Write an array of objects: what each function did since the last time; without those of which that is not known. */
void hp_recent_calls_put(struct hp_recent_calls *recent, const struct hp_program *program,
			 const struct hp_model *model, const struct hp_report_options *options,
			 struct hp_json *json);

/** Forget what was before: the program was started again. */
void hp_recent_calls_restart(struct hp_recent_calls *recent);

void hp_recent_calls_free(struct hp_recent_calls *recent);

#endif
