/* SPDX-License-Identifier: MIT */
/* The rings in which the kernel writes records of performance events. */
#ifndef HP_PERF_RING_H
#define HP_PERF_RING_H

#include <linux/perf_event.h>
#if defined(__aarch64__) || defined(__x86_64__)
#include <asm/perf_regs.h>
#endif
#include <stddef.h>
#include <stdint.h>

enum {
	/* Its size has 16 bits. */
	HP_PERF_RECORD_MAX = 1 << 16,
};

/* The parts of a sample. Other records end with three words: the thread, the time and the id of the event. */
#define HP_PERF_SAMPLE_TYPE                                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CALLCHAIN)
/* And those by which we unwind the stack ourselves. */
#define HP_PERF_SAMPLE_STACK (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* The registers that are sampled, as a mask. A sample has them in the order of their bits. */
#if defined(__aarch64__)
#define HP_PERF_REGISTERS                                                                          \
	(UINT64_C(1) << PERF_REG_ARM64_X29 | UINT64_C(1) << PERF_REG_ARM64_LR |                    \
	 UINT64_C(1) << PERF_REG_ARM64_SP | UINT64_C(1) << PERF_REG_ARM64_PC)
#elif defined(__x86_64__)
#define HP_PERF_REGISTERS                                                                          \
	(UINT64_C(1) << PERF_REG_X86_BX | UINT64_C(1) << PERF_REG_X86_BP |                         \
	 UINT64_C(1) << PERF_REG_X86_SP | UINT64_C(1) << PERF_REG_X86_IP)
#else
/* Stacks of other processors are followed by frame pointers alone. */
#define HP_PERF_REGISTERS UINT64_C(0)
#endif

struct hp_perf_ring {
	int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	const char *bytes;
	/** A power of two. */
	uint64_t size;
	/** How far it is to be read: what the kernel adds meanwhile is for the next time. */
	uint64_t head;
};

struct hp_perf_event {
	uint64_t id;
	int fd;
	uint32_t tid;
};

#endif
