/* SPDX-License-Identifier: MIT */
/*
 * The life of the process: what the recorder is doing, from the first measured call to exit, and across
 * fork.
 *
 * Recording begins when the program asks for it (HOTPATH_MAIN, hotpath_start), or with the first
 * measured call of a program that `hotpath run` started. Programs that measure nothing leave nothing.
 *
 * All state is in memory that the kernel wipes in a forked child, whoever forks and however. The child
 * finds STATE_UNSET at its next measured call and begins a segment of its own, with the parent's sites
 * under their ids; calls of the parent that are still open in it belong to nobody and are not counted.
 */
#include "lifecycle.h"

#include "calls/counting.h"
#include "calls/modules.h"
#include "calls/sites.h"
#include "clock.h"
#include "cpu/sampling.h"
#include "flow/flow.h"
#include "handover.h"
#include "memory/mapped.h"
#include "platform.h"
#include "registration.h"
#include "room.h"
#include "seccomp.h"
#include "segment_file.h"
#include "setup_time.h"
#include "sleds/sleds.h"
#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct recorder *hotpath__recorder;

/* State that a forked child inherits, in memory that is not wiped; written with the lock held. */
static struct {
	/* The parent's segment, and how much of it was mapped when it forked; the child reads the sites there. */
	char *base;
	uint64_t mapped;
	bool recording;
	const struct hotpath__recorder_ops *other;
	/* When the program began, or was forked; 0 when a segment has noted it. */
	uint64_t born_ns;
	/* The program began as root. */
	bool born_root;
	/* This process was forked. */
	bool is_forked;
} inherited;

bool hotpath__was_root(void)
{
	return inherited.born_root && geteuid() != 0;
}

static struct recorder *make_recorder(void)
{
	struct recorder *made = hotpath__map_wiped(sizeof(*made)), *expected = NULL;

	if (!made)
		return NULL;
	hotpath__note_streams();
	/* RELEASE pairs with the ACQUIRE in get_recorder. */
	if (__atomic_compare_exchange_n(&hotpath__recorder, &expected, made, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	munmap(made, sizeof(*made));
	return expected;
}

static struct recorder *get_recorder(void)
{
	struct recorder *recorder = load(&hotpath__recorder, ACQUIRE);

	return recorder ? recorder : make_recorder();
}

/* The first state, from the environment and what was inherited; the lock is held. */
static uint32_t first_state(struct recorder *recorder)
{
	const struct settings *settings = hotpath__settings();

	if (settings->off || hotpath__is_foreign() || !hotpath__may_all())
		return STATE_OFF;
	if (!inherited.base)
		inherited.other = hotpath__other_recorder();
	recorder->other = inherited.other;
	if (recorder->other)
		return STATE_HANDED_OVER;
	return settings->run[0] || inherited.recording ? STATE_ARMED : STATE_IDLE;
}

/* Defined if the program has AddressSanitizer. */
extern void __asan_init(void) __attribute__((weak));

/*
 * Whether our constructor has run. Until then, nothing is recorded in a program with AddressSanitizer: it wraps
 * functions of the C library that we call, and may not have looked them up yet.
 */
static bool has_begun;

uint32_t hotpath__state(void)
{
	if (unlikely(!has_begun) && __asan_init)
		return STATE_OFF;
	struct recorder *recorder = get_recorder();
	/* ACQUIRE pairs with the RELEASE of every change, so that what belongs to the state is visible. */
	uint32_t state = recorder ? load(&recorder->state, ACQUIRE) : (uint32_t)STATE_OFF;
	struct guard guard;

	if (state != STATE_UNSET)
		return state;
	hotpath__lock(&guard);
	if (recorder->state == STATE_UNSET) {
		store(&recorder->state, first_state(recorder), RELEASE);
		hotpath__want_calls(!hotpath__is_idle());
	}
	state = recorder->state;
	hotpath__unlock(&guard);
	return state;
}

void hotpath__count(enum hp_counter counter)
{
	struct recorder *recorder = hotpath__recorder;

	if (recorder && recorder->base)
		fetch_add(&hotpath__header()->counters[counter], 1, RELAXED);
}

/* Set the start of the recording to the start of the program, by the clock that was just chosen. */
static void set_start(struct hp_header *header)
{
	struct hp_moment now = header->start;
	uint64_t passed = now.monotonic_ns - inherited.born_ns;

	if (!inherited.born_ns || now.monotonic_ns < inherited.born_ns)
		return;
	header->start.monotonic_ns = inherited.born_ns;
	header->start.ticks -= (uint64_t)((double)passed * (double)header->ticks_per_second / 1e9);
	header->start_unix_ns -= passed;
}

/* Map all of the parent's segment. The parent goes on, and may have registered sites in parts that it mapped after
   the fork. */
static char *map_parent(void)
{
	uint64_t used = load(&((struct hp_header *)(void *)inherited.base)->used, ACQUIRE);
	void *whole;

	if (used <= inherited.mapped)
		return inherited.base;
	/* With an old size of 0, mremap makes a second mapping of shared memory. */
	whole = mremap(inherited.base, 0, hotpath__round_up(used, hotpath__page_size()),
		       MREMAP_MAYMOVE);
	if (whole == MAP_FAILED)
		return NULL;
	munmap(inherited.base, inherited.mapped);
	inherited.mapped = hotpath__round_up(used, hotpath__page_size());
	return whole;
}

static bool adopt_parent(struct recorder *recorder)
{
	char *parent = map_parent();

	if (!parent || !hotpath__sites_copy(parent))
		return false;
	/* Calls that began in the parent are not counted here. */
	recorder->session_start = hotpath__ticks();
	munmap(parent, inherited.mapped);
	return true;
}

static bool make_segment(struct recorder *recorder)
{
	struct hp_header *header;

	if (!hotpath__may_all() || !hotpath__segment_create(hotpath__settings()))
		return false;
	header = hotpath__header();
	if (inherited.base && !adopt_parent(recorder))
		return false;
	if (!inherited.base)
		set_start(header);
	header->forked = inherited.is_forked;
	hotpath__thread_key_init();
	hotpath__describe_sampling(header);
	hotpath__mapped_begins(header);
	hotpath__sleds_recorded();
	inherited.base = recorder->base;
	inherited.mapped = recorder->mapped;
	inherited.recording = true;
	inherited.born_ns = 0;
	/* Pairs with the reader's ACQUIRE: the header is complete. */
	store(&header->state, HP_STATE_RUNNING, RELEASE);
	return true;
}

uint32_t hotpath__begin_recording(struct recorder *recorder)
{
	uint32_t state;
	struct guard guard;

	hotpath__setup_begins();
	/* RELAXED: if several threads come here, the later ones find it done. */
	if (load(&recorder->state, RELAXED) == STATE_ARMED)
		hotpath__sampling_armed();
	hotpath__lock(&guard);
	if (recorder->state == STATE_ARMED || recorder->state == STATE_IDLE) {
		/* Calls stay wanted when recording is impossible: forked children try again. */
		hotpath__want_calls(true);
		bool began = recorder->base || make_segment(recorder);
		store(&recorder->state, began ? STATE_RUNNING : STATE_OFF, RELEASE);
	}
	state = recorder->state;
	hotpath__unlock(&guard);
	hotpath__setup_ends();
	return state;
}

void hotpath__begins_late(void)
{
	inherited.born_ns = 0;
}

void hotpath__note_mapped(void)
{
	/* A child that has not read its parent's sites yet still needs the size of the parent's segment. */
	if (inherited.base == hotpath__recorder->base)
		inherited.mapped = hotpath__recorder->mapped;
}

void hotpath__reserve_segment(void)
{
	struct recorder *recorder;
	struct guard guard;

	if (hotpath__state() != STATE_ARMED)
		return;
	recorder = hotpath__recorder;
	hotpath__lock(&guard);
	if (recorder->state == STATE_ARMED && !recorder->base && make_segment(recorder))
		hotpath__learn_modules();
	hotpath__unlock(&guard);
}

void hotpath__give_up(void)
{
	struct recorder *recorder = hotpath__recorder;
	struct guard guard;

	if (!recorder)
		return;
	hotpath__lock(&guard);
	store(&recorder->state, STATE_OFF, RELEASE);
	hotpath__me = NULL;
	hotpath__unlock(&guard);
}

uint32_t hotpath__ready_to_look(void)
{
	uint32_t state = hotpath__state();

	return state == STATE_ARMED ? hotpath__begin_recording(hotpath__recorder) : state;
}

uint32_t hotpath__ready(void)
{
	uint32_t state = hotpath__ready_to_look();

	/* RELAXED: if several threads come here, one of them measures. */
	if (unlikely(state == STATE_RUNNING && !load(&hotpath__recorder->knows_costs, RELAXED)))
		hotpath__calibrate(hotpath__recorder);
	return state;
}

const char *hotpath_version(void)
{
	return HOTPATH_VERSION;
}

void hotpath__children_record(bool record)
{
	inherited.recording = record;
}

static void *shutdown_later(void *milliseconds)
{
	uintptr_t ms = (uintptr_t)milliseconds;
	struct timespec left = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	/* No function that the probe of waits would see. */
	while (syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &left, &left) && errno == EINTR)
		;
	exit(0);
}

/* The shutdown needs a thread, because exit runs the program's exit handlers. It is created only if the user asks
   for it. */
void hotpath__plan_shutdown(unsigned milliseconds)
{
	static bool planned;
	uint64_t saved = 0;
	pthread_t thread;

	if (!milliseconds || planned)
		return;
	planned = true;
	hotpath__mask(SIG_SETMASK, ALL_SIGNALS, &saved);
	if (pthread_create(&thread, NULL, shutdown_later, (void *)(uintptr_t)milliseconds) == 0)
		pthread_detach(thread);
	else
		hotpath__warn("cannot schedule the shutdown: no thread could be created", NULL);
	hotpath__mask(SIG_SETMASK, saved, NULL);
}

/* on_exit is not in every C library. */
extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));

static void keep_status(int status, void *unused)
{
	(void)unused;
	/* While all parts of the program still work: other exit handlers have not run yet. */
	hotpath__call_before_stop();
	if (hotpath__recorder && hotpath__recorder->base)
		hotpath__header()->exit_status = ((uint32_t)status & 0xff) + 1;
}

/*
 * Called when the program begins, for programs that do not start recording themselves; and again at the first start,
 * because exit handlers run in reverse order, and this one must run before the report is printed.
 */
void hotpath__watch_exit(void)
{
	if (on_exit)
		on_exit(keep_status, NULL);
}

/* Store the end of the recording, which is now. */
static void note_end(struct hp_header *header)
{
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__clock_update(header);
	hotpath__note_threads();
	hotpath__note_io(header);
	store(&header->end_ticks, hotpath__ticks(), RELAXED);
	hotpath__unlock(&guard);
}

static void note_title(struct hp_header *header)
{
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__note_title(header);
	hotpath__unlock(&guard);
}

/* Store what is known of the process when it ends. A signal stack may be too small to read what memory it has. */
static void note_all(struct hp_header *header)
{
	struct guard guard;

	hotpath__setup_begins();
	if (!header->end_ticks)
		note_end(header);
	if (!hotpath__on_signal_stack()) {
		hotpath__lock(&guard);
		hotpath__note_memory(header);
		hotpath__unlock(&guard);
	}
	hotpath__note_cpu(header);
	note_title(header);
	hotpath__setup_ends();
}

static void mark_exit(void)
{
	struct recorder *recorder = hotpath__recorder;
	struct hp_header *header;

	if (!recorder || !recorder->base)
		return;
	header = hotpath__header();
	hotpath__sampling_end();
	note_all(header);
	store(&header->state, HP_STATE_EXITED, RELEASE);
}

/* Whether something can be noted. A child of vfork has its parent's memory, and its parent goes on; a seccomp filter may not allow
   even to ask whose memory it is. */
static bool can_note(void)
{
	const struct recorder *recorder = hotpath__recorder;

	return recorder && recorder->base && hotpath__may_all() &&
	       hotpath__header()->pid == (uint32_t)getpid();
}

void hotpath__note_leaving(void)
{
	int saved_errno = errno;

	if (can_note())
		note_all(hotpath__header());
	errno = saved_errno;
}

void hotpath__note_executing(void)
{
	if (!can_note())
		return;
	store(&hotpath__header()->executor, (uint32_t)syscall(SYS_gettid), RELAXED);
	hotpath__note_leaving();
}

/* The end of a recording that has stopped is kept; and so is what another thread has noted that executes a program, too. */
static void undo_executing(struct hp_header *header)
{
	if (load(&header->executor, RELAXED) != (uint32_t)syscall(SYS_gettid))
		return;
	store(&header->executor, 0, RELAXED);
	if (load(&header->state, RELAXED) != HP_STATE_RUNNING)
		return;
	store(&header->end_ticks, 0, RELAXED);
	store(&header->cpu_unseen_ns, 0, RELAXED);
	hotpath__forget_times();
}

void hotpath__note_staying(void)
{
	int saved_errno = errno;
	struct guard guard;

	if (!can_note())
		return;
	hotpath__lock(&guard);
	undo_executing(hotpath__header());
	hotpath__unlock(&guard);
	errno = saved_errno;
}

/* Kernels before 4.14 do not wipe memory at a fork: drop the pointers to the parent's state. */
static void forget_parent(void)
{
	hotpath__recorder = NULL;
	hotpath__me = NULL;
}

static void forked(void)
{
	if (hotpath__forks_unwiped)
		forget_parent();
	inherited.is_forked = true;
	hotpath__setup_forget();
	if (inherited.born_ns)
		inherited.born_ns = hotpath__monotonic_ns();
	hotpath__register_forked();
	hotpath__sampling_forked();
}

void hotpath__watch_forks(void)
{
	static bool watching;

	if (!watching)
		pthread_atfork(NULL, NULL, forked);
	watching = true;
}

/*
 * Recording may have begun before this: constructors of other libraries come earlier, and may allocate or be
 * measured.
 */
__attribute__((constructor(101))) static void program_begins(void)
{
	has_begun = true;
	uint32_t state = hotpath__state();

	if (!inherited.base)
		inherited.born_ns = hotpath__monotonic_ns();
	inherited.born_root = geteuid() == 0;
	if (state == STATE_OFF || state == STATE_HANDED_OVER)
		return;
	hotpath__setup_begins();
	hotpath__note_program();
	hotpath__register_begin();
	hotpath__watch_exit();
	at_quick_exit(mark_exit);
	if (hotpath__forks_unwiped)
		hotpath__watch_forks();
	if (state == STATE_ARMED)
		hotpath__sampling_armed();
	if (hotpath__has_sleds())
		hotpath__listen();
	if (state == STATE_ARMED || state == STATE_RUNNING)
		hotpath__plan_shutdown(hotpath__settings()->shutdown_ms);
	hotpath__setup_ends();
	if (state == STATE_IDLE)
		hotpath__setup_forget();
}

/* Runs after the program's own destructors, which may measure too. */
__attribute__((destructor(101))) static void program_ends(void)
{
	struct recorder *recorder = hotpath__recorder;

	hotpath__call_before_stop();
	if (!recorder || !recorder->base)
		return;
	hotpath_stop();
	mark_exit();
	/* Finish the segment, but not under the tool, which reads it when the process is gone: until then, other
	   threads may go on recording. */
	if (!hotpath__settings()->run[0])
		hotpath__segment_finish();
}
