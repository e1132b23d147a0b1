/* SPDX-License-Identifier: MIT */
/*
 * CPU sampling of the process: when it begins and ends, and by which signal.
 *
 * The signal is one that is ignored by default, so that it does no harm where no handler is installed any more: it may
 * come during exec. If the program uses it itself, we take another one; if there is none, the CPU is not sampled, and
 * one line on standard error says so.
 */
#include "sampling.h"

#include "own_file.h"
#include "probe.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/maps.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/settings.h"
#include "sampler.h"
#include "sleds/serve_request.h"
#include "sleds/waking.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>

/* In the order in which they are tried. */
static const int signals[] = { SIGURG, SIGWINCH };

/* Inherited by a forked child: the sampling rate per second of its parent, 0 for none; whether sampling was
   decided upon before the fork; and the signals that the program has asked for at any time. */
static unsigned inherited_rate;
static bool decided;
static bool wanted_signal[NSIG];
/* Inherited too: a thread had an alternate signal stack too small for this processor's registers, before it was
   sampled. */
static bool is_cramped;
/* And the signal by which requests come, 0 for none; and the program's own action for our signal, which sigaction reports to it. */
static int listening;
static struct sigaction before;
/* The function of a probe to be called when sampling begins. */
static void (*when_sampling)(void);
ptrdiff_t hotpath__inside_at;

static struct sampling *sampling(void)
{
	return &hotpath__recorder->sampling;
}

/* ---- the lock is held ---- */

/* Whether a signal handler belongs to another copy of this library, loaded into a linker namespace of its own
   (dlmopen). */
static bool is_other_copy(uintptr_t handler)
{
	static struct mapping mapping;

	return hotpath__maps_find(handler, &mapping) && hp_is_own_file(mapping.path);
}

/* Whether the program does not use a signal; its action for one that it does not use is kept. */
static bool is_free(int signal, bool *elsewhere)
{
	struct sigaction action;

	if (wanted_signal[signal] || sigaction(signal, NULL, &action))
		return false;
	if (action.sa_flags & SA_SIGINFO) {
		bool ours = action.sa_sigaction == hotpath__look;
		*elsewhere = !ours && is_other_copy((uintptr_t)action.sa_sigaction);
		return ours;
	}
	if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
		return false;
	before = action;
	return true;
}

/* Whether an alternate signal stack is too small for the registers. The kernel accepts it, and kills the program
   when a signal has to be delivered there. */
static bool has_no_room(const stack_t *stack)
{
	return !(stack->ss_flags & SS_DISABLE) && stack->ss_size < getauxval(AT_MINSIGSTKSZ);
}

/* Install the handler for the first signal that is free. Returns HP_CPU_GOES_ON, or why there is no sampling. */
static enum hp_cpu_end take_signal(void)
{
	struct sigaction action = { .sa_sigaction = hotpath__look,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	stack_t stack;

	if (!hotpath__is_shared && sigaltstack(NULL, &stack) == 0 && has_no_room(&stack))
		store(&is_cramped, true, RELAXED);
	if (!load(&is_cramped, RELAXED))
		action.sa_flags |= SA_ONSTACK;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		bool elsewhere = false;
		if (is_free(signals[i], &elsewhere)) {
			store(&sampling()->signal, signals[i], RELAXED);
			return sigaction(signals[i], &action, NULL) ? HP_CPU_SIGNAL_TAKEN
								    : HP_CPU_GOES_ON;
		}
		if (elsewhere)
			return HP_CPU_ELSEWHERE;
	}
	return HP_CPU_SIGNAL_TAKEN;
}

void hotpath__describe_sampling(struct hp_header *header)
{
	const struct sampling *all = sampling();

	if (!all->period_ns)
		return;
	store(&header->cpu_source, all->source, RELAXED);
	store(&header->cpu_end, all->end, RELAXED);
	store(&header->cpu_rate, all->rate, RELAXED);
	store(&header->cpu_signal, (uint32_t)all->signal, RELAXED);
	store(&header->cpu_period_ns, all->period_ns, RELAXED);
	store(&header->cpu_loading_ns, all->loading_ns, RELAXED);
}

static void describe(void)
{
	if (hotpath__recorder->base)
		hotpath__describe_sampling(hotpath__header());
}

static uint64_t system_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return 0;
	return (uint64_t)usage.ru_stime.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)usage.ru_stime.tv_usec * 1000;
}

/* Note the CPU time used so far. If recording has begun already, it is not part of the sampled time; otherwise it
   was needed to load the program. */
static void note_before(struct sampling *all)
{
	uint64_t used = hotpath__cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	bool recording = hotpath__recorder->base;

	all->before_ns = recording ? used : 0;
	all->before_system_ns = recording ? system_ns() : 0;
	all->loading_ns = recording ? 0 : used;
}

/* Valgrind preloads libraries of its own. */
void hotpath__note_watcher(void)
{
	const char *preload = getenv("LD_PRELOAD");

	store(&sampling()->is_watched, preload && strstr(preload, "/vgpreload_"), RELAXED);
}

/* A program under `hotpath run` stays silent, because the report says why there are no samples. */
static void warn(const char *why)
{
	if (!hotpath__settings()->run[0])
		hotpath__warn("no CPU sampling: ", why, NULL);
}

static void begin(void)
{
	struct sampling *all = sampling();

	hotpath__note_watcher();
	all->end = take_signal();
	if (all->end == HP_CPU_SIGNAL_TAKEN)
		warn("the program uses SIGURG and SIGWINCH itself");
	if (all->end != HP_CPU_GOES_ON)
		return;
	all->source = hotpath__settings()->cpu_source == HP_CPU_TIMER ? HP_CPU_TIMER : HP_CPU_PERF;
	store(&all->on, hotpath__sample_all(), RELAXED);
	all->end = all->on ? HP_CPU_GOES_ON : HP_CPU_REFUSED;
	if (!all->on)
		warn("the kernel refuses events and timers");
}

/* Our signal handler stays installed, since a signal may be pending. */
static void end(void)
{
	store(&sampling()->on, false, RELAXED);
	hotpath__disarm_all();
}

/* ---- without it ---- */

void hotpath__when_sampling(void (*call)(void), ptrdiff_t inside_at)
{
	store(&hotpath__inside_at, inside_at, RELAXED);
	when_sampling = call;
	if (hotpath__is_sampling())
		call();
}

void hotpath__sampling_armed(void)
{
	if (!sampling()->period_ns && (inherited_rate || !decided))
		hotpath__sampling_begin(inherited_rate);
}

/* If another fork handler was measured before this one, recording and sampling have begun already. */
void hotpath__sampling_forked(void)
{
	hotpath__sampler = NULL;
	if (inherited_rate && hotpath__state() == STATE_ARMED)
		hotpath__sampling_armed();
}

static void prepare(void)
{
	decided = true;
	hotpath__watch_forks();
	hotpath__samplers_init();
}

void hotpath__sampling_begin(unsigned wanted)
{
	const struct settings *settings = hotpath__settings();
	unsigned rate = settings->cpu == CPU_UNSET ? wanted : settings->cpu_rate;
	struct sampling *all = sampling();
	struct guard guard;

	if (!rate || settings->cpu == CPU_OFF)
		return;
	hotpath__lock(&guard);
	if (!all->on) {
		prepare();
		all->rate = rate < CPU_RATE_MAX ? rate : CPU_RATE_MAX;
		store(&all->period_ns, UINT64_C(1000000000) / all->rate, RELAXED);
		note_before(all);
		begin();
		describe();
		inherited_rate = all->on ? rate : 0;
		guard.signals &= ~hotpath__signal_bit(all->signal);
	}
	hotpath__unlock(&guard);
	/* If there are no samples, a segment tells the tool why. */
	if (!all->on && all->end != HP_CPU_ELSEWHERE)
		hotpath__reserve_segment();
	if (when_sampling)
		when_sampling();
}

void hotpath__sampling_end(void)
{
	struct guard guard;

	if (!sampling()->on)
		return;
	hotpath__lock(&guard);
	end();
	inherited_rate = 0;
	hotpath__unlock(&guard);
}

void hotpath__sampling_filtered(void)
{
	struct guard guard;

	if (!hotpath__is_sampling())
		return;
	hotpath__lock(&guard);
	end();
	inherited_rate = 0;
	sampling()->end = HP_CPU_FILTERED;
	describe();
	if (hotpath__recorder->base)
		hotpath__note_cpu(hotpath__header());
	hotpath__unlock(&guard);
}

bool hotpath__is_sampling(void)
{
	/* RELAXED: a start on another thread may be seen a little later. */
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);

	return recorder && load(&recorder->sampling.on, RELAXED);
}

/* Take the signal for requests, and tell of it; also if it is that of sampling already. */
static void take_requests(void)
{
	bool taken = take_signal() == HP_CPU_GOES_ON;

	store(&listening, taken ? sampling()->signal : 0, RELAXED);
	hotpath__tell_listening(listening);
}

void hotpath__listen(void)
{
	struct guard guard;

	if (load(&listening, RELAXED) || !hotpath__may_all())
		return;
	hotpath__watch_forks();
	hotpath__samplers_init();
	hotpath__lock(&guard);
	take_requests();
	hotpath__unlock(&guard);
}

/* A signal that is sent all the same does nothing, unless threads are sampled by it. */
void hotpath__listen_no_more(void)
{
	struct guard guard;

	if (!load(&listening, RELAXED))
		return;
	hotpath__state();
	hotpath__lock(&guard);
	hotpath__wake_nobody();
	if (listening && !sampling()->on)
		sigaction(listening, &before, NULL);
	store(&listening, 0, RELAXED);
	hotpath__tell_listening(0);
	hotpath__unlock(&guard);
}

int hotpath__sampling_signal(void)
{
	return hotpath__is_sampling() ? load(&sampling()->signal, RELAXED)
				      : load(&listening, RELAXED);
}

bool hotpath__is_sampling_with(int signal)
{
	return signal && hotpath__sampling_signal() == signal;
}

void hotpath__sampling_pretends(const struct sigaction *action, struct sigaction *old)
{
	struct guard guard;

	hotpath__state();
	hotpath__lock(&guard);
	*old = before;
	if (action)
		before = *action;
	hotpath__unlock(&guard);
}

void hotpath__sampling_gives_way(int signal)
{
	struct guard guard;
	bool was_on;

	hotpath__state();
	hotpath__lock(&guard);
	was_on = sampling()->on;
	if (hotpath__is_sampling_with(signal)) {
		wanted_signal[signal] = true;
		end();
		hotpath__wake_nobody();
		/* Install the action that the program believes to be installed. */
		sigaction(signal, &before, NULL);
		if (listening)
			take_requests();
		if (was_on) {
			begin();
			describe();
		}
		guard.signals &= ~hotpath__signal_bit(sampling()->signal);
	}
	hotpath__unlock(&guard);
	if (was_on && !hotpath__is_sampling())
		hotpath__reserve_segment();
}

void hotpath__sampling_sees_stack(const stack_t *stack)
{
	/* RELAXED: if another thread begins sampling at this moment, it does not know of the stack yet anyway. */
	if (has_no_room(stack))
		store(&is_cramped, true, RELAXED);
}

/* Store the CPU time of the process without samples: all its CPU time since sampling began, less that of the
   samples. */
void hotpath__note_cpu(struct hp_header *header)
{
	const struct sampling *all = sampling();
	uint64_t used = hotpath__cpu_ns(CLOCK_PROCESS_CPUTIME_ID), seen = 0;
	uint64_t time = hotpath__less(used, all->before_ns);

	if (!all->period_ns || !header->cpu_period_ns)
		return;
	for (uint64_t at = header->lanes; at;) {
		const struct hp_lane *lane = (const struct hp_lane *)(void *)((char *)header + at);
		if (load(&lane->session, RELAXED) == header->session)
			seen += load(&lane->samples, RELAXED) * all->period_ns;
		at = lane->next;
	}
	store(&header->cpu_unseen_ns, hotpath__less(time, seen), RELAXED);
	store(&header->cpu_system_ns, hotpath__less(system_ns(), all->before_system_ns), RELAXED);
}
