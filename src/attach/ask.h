/* SPDX-License-Identifier: MIT */
/* Asks a program that runs to measure some of its functions, or not to: `src/segment/arm_request.h` says how. */
#ifndef HP_ASK_H
#define HP_ASK_H

#include "arm_request.h"
#include "attach.h"

/**
 * Whether a process can be asked.
 *
 * @return
 *         The signal by which it takes requests; 0 when it takes none; a negative errno when that cannot be found out.
 */
int hp_ask_signal(uint32_t pid);

/** Whether a process runs as the user that we are; what it records is for that user. */
bool hp_ask_is_own(uint32_t pid);

/**
 * Send a request to a process, and wait for its answer.
 *
 * @param request
 *         Its kind, and what belongs to that. The answer is stored there.
 * @param addresses
 *         As many as it says; NULL for none.
 * @return
 *         False with the problem; also if the answer is that it cannot be done.
 */
bool hp_ask(uint32_t pid, struct hp_arm_request *request, const uint64_t *addresses,
	    struct hp_attach_problem *problem);

#endif
