/* SPDX-License-Identifier: MIT */
/*
 * CPU sampling, as the rest of the recorder sees it: when it begins and ends, and how its signal and signal stack are
 * hidden from the program.
 */
#ifndef HOTPATH_SAMPLING_H
#define HOTPATH_SAMPLING_H

#include "segment.h"

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct thread;

/* Sample every thread `rate` times per second of CPU time, unless the environment sets something else. */
void hotpath__sampling_begin(unsigned rate);
/* The same, before there is a segment, for a program that `hotpath run` started or that was forked while
   recording: as the environment says, or as the parent was sampled. Does nothing when called again. */
void hotpath__sampling_armed(void);
/* This process is a forked child. */
void hotpath__sampling_forked(void);
void hotpath__sampling_end(void);
/* A seccomp filter is about to be set that does not allow what sampling needs: end it. */
void hotpath__sampling_filtered(void);
/* Sample this thread too, if others are. */
void hotpath__sample_thread(void);
/* From now on, requests from outside come by the signal that is used for sampling, whether threads are sampled or not. */
void hotpath__listen(void);
/* A seccomp filter is about to be set that does not allow what requests need: none is served any more. */
void hotpath__listen_no_more(void);
/* Whether threads are sampled; the signal that is used for that or for requests, 0 for none; whether it is this one. */
bool hotpath__is_sampling(void);
int hotpath__sampling_signal(void);
bool hotpath__is_sampling_with(int signal);
/* The program wants this signal for itself: sample with another one. */
void hotpath__sampling_gives_way(int signal);
/* A thread that is not sampled is about to set this alternate signal stack. If it is too small even for the
   registers, the sampling signal is handled on the stack in use, without SA_ONSTACK. */
void hotpath__sampling_sees_stack(const stack_t *stack);
/* Whether this thread may have an alternate signal stack of ours. If so, its calls of sigaltstack go to the second
   function, which has the same meaning and hides our stack. */
bool hotpath__owns_signal_stack(void);
int hotpath__change_signal_stack(const stack_t *stack, stack_t *before);
/* Get the program's own action for the sampling signal, which sigaction reports to it; and replace it unless
   `action` is NULL. */
void hotpath__sampling_pretends(const struct sigaction *action, struct sigaction *old);
/* Store how the CPU is sampled; and how much CPU time no sample stands for. */
void hotpath__describe_sampling(struct hp_header *header);
void hotpath__note_cpu(struct hp_header *header);
/* Find out whether the program runs under valgrind. */
void hotpath__note_watcher(void);
/* Set the samples of a lane to zero, those of waits too. */
void hotpath__zero_samples(struct thread *me);
/* Code was unloaded: forget the ranges of code that are not mapped any more. The lock is held. */
void hotpath__forget_code(void);

#pragma GCC visibility pop

#endif
