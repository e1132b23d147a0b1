/* SPDX-License-Identifier: MIT */
/* The machine that a program ran on, as far as its speed depends on it. */
#ifndef HP_MACHINE_H
#define HP_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/** Empty or 0 where it is not known. */
struct hp_machine {
	/** "x86_64". */
	char arch[16];
	/** The name of the processor or, if it has none, its numbers: "ARM 0x41 part 0xd99". */
	char cpu[96];
	/** "6.1.0-18-amd64". */
	char kernel[72];
	/** Processors that the process may run on. */
	uint32_t cores;
};

/** The machine that we are on. */
void hp_machine_read(struct hp_machine *machine);

/** The name of a processor, by what Linux tells of it in /proc/cpuinfo; empty when that says nothing. */
void hp_machine_name_cpu(const char *cpuinfo, char *name, size_t size);

#endif
