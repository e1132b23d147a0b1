/* SPDX-License-Identifier: MIT */
/* How calls of functions with sleds begin and end. */
#ifndef HOTPATH_SLED_CALLS_H
#define HOTPATH_SLED_CALLS_H

#include <stdint.h>

struct hp_stat;
struct thread;

/* Functions that change no register but the flags. Where the compiler cannot make such functions, stubs in assembly
   stand before them. */
#if defined(__x86_64__)
#define KEEPS_REGISTERS __attribute__((no_caller_saved_registers))
#else
#define KEEPS_REGISTERS
#endif

/* One of so many counted calls of a function takes the slow path, and asks the governor; so does one of so many exits that end
   nothing. */
enum { SLED_COUNTS = 4096 };

#pragma GCC visibility push(hidden)

/*
 * What armed sleds lead to. An entry calls, so that the return address is in the function that begins; a return jumps, and
 * this function returns in its place; a jump calls, and goes on behind that.
 */
void hotpath__sled_enter(void) KEEPS_REGISTERS;
void hotpath__sled_return(void) KEEPS_REGISTERS;
void hotpath__sled_jump(void) KEEPS_REGISTERS;
/* The same for an entry whose calls are only counted. */
void hotpath__sled_count(void) KEEPS_REGISTERS;

/* What the stubs in assembly call. */
void hotpath__sled_entered(uintptr_t body, uintptr_t sp, uintptr_t from);
void hotpath__sled_left(uintptr_t sp);
void hotpath__sled_counted(uintptr_t body, uintptr_t sp);

/* What the hot path does not handle, with all registers saved, also those of vectors. `body` is the address behind the
   sled, sp the stack pointer at the function's first and last instruction, `from` where it returns to. */
void hotpath__sled_enter_slow(uintptr_t body, uintptr_t sp, uintptr_t from);
void hotpath__sled_exit_slow(uintptr_t sp, uint64_t now);
void hotpath__sled_count_slow(uintptr_t body, uintptr_t sp);
/* Keep the registers as for exits, so many times, and nothing else: with the clock around it, that tells what it takes. Not more
   often than exits are idle before the governor is asked. Nothing where the processor hides it behind the work. */
void hotpath__keep_registers(unsigned times);
/* Find out how large the registers are; before the first sled is armed. */
void hotpath__measure_registers(void);

/* The stubs that save the registers. */
void hotpath__sled_enter_kept(uintptr_t body, uintptr_t sp, uintptr_t from) KEEPS_REGISTERS;
void hotpath__sled_exit_kept(uintptr_t sp, uint64_t now) KEEPS_REGISTERS;
void hotpath__sled_count_kept(uintptr_t body, uintptr_t sp) KEEPS_REGISTERS;
void hotpath__sled_flush_kept(struct thread *me, struct hp_stat *stat) KEEPS_REGISTERS;

#pragma GCC visibility pop

#endif
