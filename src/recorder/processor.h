/* SPDX-License-Identifier: MIT */
/* What depends on the compiler and the processor: hints for branches, the counter that is the hot path's clock, and the
   stack pointer. */
#ifndef HOTPATH_PROCESSOR_H
#define HOTPATH_PROCESSOR_H

#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* A function that is seldom called, in a file that is compiled for speed: keep it small, and out of line. */
#define SELDOM __attribute__((cold, noinline))

/* From here on, compilers know nothing of a value. So what was made of it before is made again where it is next needed, and takes no
   register in between. */
#define make_opaque(value) __asm__("" : "+r"(value))

/* Read the processor's cycle or timer counter; the hot path's clock. */
static inline uint64_t hotpath__counter(void)
{
#if defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#elif defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/*
 * The same, after all earlier instructions have completed: processors execute out of order, and would read the
 * counter before the measured work is done. On x86-64 waiting costs a few nanoseconds. On aarch64 it would cost as
 * much as the reading itself, so there is no wait, and durations of short calls may be off by some tens of
 * nanoseconds.
 */
static inline uint64_t hotpath__counter_after(void)
{
#if defined(__x86_64__)
	uint64_t low, high;

	/* The builtin function would also store the number of the processor, which is in rcx. */
	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx");
	return high << 32 | low;
#else
	return hotpath__counter();
#endif
}

/* Read the counter after all earlier instructions, on all processors, at whatever cost. On x86-64 earlier stores may be on their
   way to the cache: a program does not wait for them either, so what it takes to measure its calls would seem to be more. */
static inline uint64_t hotpath__counter_in_order(void)
{
#if defined(__aarch64__)
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__asm__ volatile("isb" : : : "memory");
#endif
	return hotpath__counter_after();
}

static inline uintptr_t hotpath__stack_pointer(void)
{
#if defined(__aarch64__)
	uintptr_t sp;
	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
#elif defined(__x86_64__)
	uintptr_t sp;
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
#else
	return (uintptr_t)__builtin_frame_address(0);
#endif
}

#endif
