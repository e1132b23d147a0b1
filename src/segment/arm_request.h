/* SPDX-License-Identifier: MIT */
/*
 * A request to a program that runs: which of its functions with sleds are to be measured from now on.
 *
 * Whoever asks puts a file into a folder of the program's user, and sends the program a signal. The recorder reads the file,
 * removes it, does what it says, and writes the answer into it; who asked has it open. That a program can be asked, and by which
 * signal, is told by a mapping of its memory that has a name.
 *
 *	struct hp_arm_request  ├─ addresses, 8 bytes each ─┤
 */
#ifndef HP_ARM_REQUEST_H
#define HP_ARM_REQUEST_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/** The name of the mapping, followed by the number of the signal. The kernel shows it as a file, "/memfd:" before it. */
#define HP_REQUEST_MAPPING "hotpath-signal-"

/** "hotpath?", as a number. */
#define HP_REQUEST_MAGIC UINT64_C(0x3f68746170746f68)

enum {
	HP_REQUEST_VERSION = 1,
	/** Most addresses in a request. */
	HP_REQUEST_ADDRESSES_MAX = 1 << 20,
};

enum hp_request_kind {
	/** Measure the functions at these addresses, besides those that are measured. Begins to record. */
	HP_REQUEST_ARM = 1,
	/** The same for all functions, also of what is loaded later. */
	HP_REQUEST_ARM_ALL,
	/** Do not measure the functions at these addresses any more. */
	HP_REQUEST_DISARM,
	/** The same for all; and if the recording was begun by a request, end it. */
	HP_REQUEST_DISARM_ALL,
};

enum hp_answer {
	/** It is not answered yet. */
	HP_ANSWER_NONE,
	HP_ANSWER_DONE,
	/** Recording is switched off, or not possible. */
	HP_ANSWER_OFF,
	/** The system does not let code be changed. */
	HP_ANSWER_FORBIDDEN,
	/** The program's recorder is of another version, and does not know what is wanted. */
	HP_ANSWER_UNKNOWN,
};

struct hp_arm_request {
	uint64_t magic;
	uint32_t version;
	uint32_t kind;
	/** Samples per second of CPU time, if recording begins; 0 for as many as the program's environment says, 999 by default. */
	uint32_t rate;
	uint32_t address_count;
	/** Written by the recorder: the answer; how many of the addresses are functions with sleds; how many of those functions
	    there are in all, and are to be measured now; and whether this request has begun the recording. */
	uint32_t answer;
	uint32_t found;
	uint32_t functions;
	uint32_t measured;
	uint32_t began;
	uint8_t reserved[20];
};

static_assert(sizeof(struct hp_arm_request) == 64, "part of the format");
static_assert(offsetof(struct hp_arm_request, rate) == 16, "part of the format");
static_assert(offsetof(struct hp_arm_request, answer) == 24, "part of the format");
static_assert(offsetof(struct hp_arm_request, measured) == 36, "part of the format");

#endif
