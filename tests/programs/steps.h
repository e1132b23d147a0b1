/* SPDX-License-Identifier: MIT */
/* Work of which every step takes the same time, for programs whose functions are compared. */
#ifndef STEPS_H
#define STEPS_H

#include <stdint.h>

/*
 * One loop for all, since how fast a copy is depends on where it lies. Steps depend on each other, in a register: a
 * counter in memory takes 0.5 to 3 ns on processors that keep what is on the stack in registers, as it happens.
 */
__attribute__((noinline, unused)) static void take_steps(uint64_t steps)
{
	uint64_t value = steps;

	for (uint64_t i = 0; i < steps; i++) {
		value = value * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(value));
	}
}

#endif
