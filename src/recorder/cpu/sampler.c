/* SPDX-License-Identifier: MIT */
/*
 * Samples a thread: by a signal after each period of CPU time.
 *
 * Each thread has a perf event of the kernel's task clock. It counts the CPU time in user mode, and its signal never
 * comes inside a system call, so none is interrupted. The time in system calls is measured by a CPU timer, which
 * expires on the kernel's ticks, and whose signal comes when the system call has returned. Where the kernel refuses
 * perf events, there is only the timer.
 *
 * No descriptor is kept, which the program might close, or need itself: the mapping of a perf event keeps it alive.
 */
#include "sampler.h"

#include "process/kernel_files.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "sampling.h"
#include "sleds/waking.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The shortest interval of a timer beside a perf event, in nanoseconds: with the usual kernels it cannot
	   expire more often. */
	TICK_NS = 4000000,
	/* When there are so many samplers, and at each doubling, those of ended threads are looked for. */
	MANY = 64,
};

__thread struct sampler *hotpath__sampler __attribute__((tls_model("initial-exec")));

static pthread_key_t end_key;
static bool end_key_made;

static struct sampling *sampling(void)
{
	return &hotpath__recorder->sampling;
}

/* ---- what the kernel offers ---- */

uint64_t hotpath__cpu_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	if (hotpath__may_with(SYS_clock_gettime, (unsigned long)clock, 0, 0, 0))
		clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool signal_thread(int fd, uint32_t tid)
{
	const struct f_owner_ex owner = { F_OWNER_TID, (pid_t)tid };

	return fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
	       fcntl(fd, F_SETSIG, sampling()->signal) == 0 &&
	       fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

/* Map an event by a system call: ThreadSanitizer replaces mmap, and takes the descriptor for an earlier file's. */
static void *map_event(int fd)
{
	long page = syscall(SYS_mmap, NULL, hotpath__page_size(), PROT_READ, MAP_SHARED, fd, 0L);

	return (void *)page; /* NOLINT(performance-no-int-to-ptr) */
}

/* Open a perf event for a thread; returns its mapping, NULL when the kernel refuses it. */
static void *open_event(uint32_t tid)
{
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(event),
					 .config = PERF_COUNT_SW_TASK_CLOCK,
					 .sample_period = sampling()->period_ns,
					 .disabled = 1,
					 .exclude_kernel = 1,
					 .exclude_hv = 1,
					 .wakeup_events = 1 };
	long fd = syscall(SYS_perf_event_open, &event, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;

	void *page = map_event((int)fd);
	if (page != MAP_FAILED &&
	    !(signal_thread((int)fd, tid) && ioctl((int)fd, PERF_EVENT_IOC_ENABLE, 0) == 0)) {
		munmap(page, hotpath__page_size());
		page = MAP_FAILED;
	}
	close((int)fd);
	return page == MAP_FAILED ? NULL : page;
}

static void close_event(struct sampler *sampler)
{
	void *event = sampler->event;

	/* RELAXED, like all accesses to it: a pending signal may find the old or the new value. */
	store(&sampler->event, NULL, RELAXED);
	if (event)
		munmap(event, hotpath__page_size());
}

/* Set the receiving thread of a timer, the field after sigev_notify: its name differs between C libraries. */
static void set_receiver(struct sigevent *event, pid_t tid)
{
	memcpy((char *)event + offsetof(struct sigevent, sigev_notify) +
		       sizeof(event->sigev_notify),
	       &tid, sizeof(tid));
}

/* By system calls: the C library may allocate for a timer. */
bool hotpath__thread_timer(int *timer, uint32_t tid, int signal, void *value)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = signal,
				  .sigev_value.sival_ptr = value };

	set_receiver(&event, (pid_t)tid);
	return syscall(SYS_timer_create, hotpath__thread_clock(tid, THREAD_CLOCK_EXACT), &event,
		       timer) == 0;
}

static bool start_timer(struct sampler *sampler, uint64_t interval)
{
	const struct timespec time = { (time_t)(interval / 1000000000),
				       (long)(interval % 1000000000) };
	const struct itimerspec times = { time, time };

	if (!hotpath__thread_timer(&sampler->timer, sampler->tid, sampling()->signal, sampler))
		return false;
	sampler->has_timer = syscall(SYS_timer_settime, sampler->timer, 0, &times, NULL) == 0;
	if (!sampler->has_timer)
		syscall(SYS_timer_delete, sampler->timer);
	return sampler->has_timer;
}

static void stop_timer(struct sampler *sampler)
{
	if (sampler->has_timer)
		syscall(SYS_timer_delete, sampler->timer);
	sampler->has_timer = false;
}

static bool arm(struct sampler *sampler)
{
	const struct sampling *all = sampling();

	uint64_t cpu_ns = hotpath__cpu_ns(hotpath__thread_clock(sampler->tid, THREAD_CLOCK_EXACT));

	store(&sampler->counted_ns, cpu_ns, RELAXED);
	hotpath__begin_account(sampler, cpu_ns);
	if (all->source == HP_CPU_PERF)
		store(&sampler->event, open_event(sampler->tid), RELAXED);
	bool timed = start_timer(
		sampler, sampler->event && all->period_ns < TICK_NS ? TICK_NS : all->period_ns);
	return timed || sampler->event;
}

static bool is_armed(const struct sampler *sampler)
{
	return sampler->event || sampler->has_timer;
}

static void disarm(struct sampler *sampler)
{
	close_event(sampler);
	stop_timer(sampler);
}

/* ---- samplers; the lock is held ---- */

static void give_back(struct sampler *sampler)
{
	struct sampling *all = sampling();
	struct sampler **at = &all->samplers;

	while (*at && *at != sampler)
		at = &(*at)->next;
	if (*at)
		*at = sampler->next;
	disarm(sampler);
	store(&sampler->tid, 0, RELAXED);
	sampler->next = all->spare;
	all->spare = sampler;
	all->count--;
}

/* Free the samplers of threads that are gone and whose destructor did not run. */
static void reclaim(const struct sampling *all)
{
	struct sampler *next;

	if (all->count < MANY || (all->count & (all->count - 1)))
		return;
	for (struct sampler *sampler = all->samplers; sampler; sampler = next) {
		next = sampler->next;
		if (hotpath__has_ended(sampler->tid))
			give_back(sampler);
	}
}

static struct sampler *new_sampler(uint32_t tid)
{
	struct sampling *all = sampling();

	reclaim(all);
	struct sampler *sampler = all->spare;
	if (sampler)
		all->spare = sampler->next;
	else
		sampler = hotpath__private(sizeof(*sampler));
	if (!sampler)
		return NULL;
	store(&sampler->tid, tid, RELAXED);
	sampler->next = all->samplers;
	all->samplers = sampler;
	all->count++;
	return sampler;
}

static struct sampler *find_sampler(uint32_t tid)
{
	struct sampler *sampler = sampling()->samplers;

	while (sampler && sampler->tid != tid)
		sampler = sampler->next;
	return sampler;
}

/* A thread keeps its sampler until it ends, whether it is armed or not. */
static struct sampler *sampler_of(uint32_t tid)
{
	struct sampler *sampler = find_sampler(tid);

	return sampler ? sampler : new_sampler(tid);
}

static struct sampler *sample(struct sampler *sampler)
{
	return sampler && (is_armed(sampler) || arm(sampler)) ? sampler : NULL;
}

/* Stop sampling this thread, and discard pending signals: they would be handled on another stack. Signals are
   blocked. */
static void silence(struct sampler *sampler)
{
	static const struct timespec at_once = { 0, 0 };
	const uint64_t ours = hotpath__signal_bit(sampling()->signal);

	disarm(sampler);
	while (syscall(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof(ours)) > 0)
		;
}

void hotpath__leave_unsampled(struct sampler *sampler)
{
	silence(sampler);
	hotpath__count(HP_COUNTER_unsampled);
}

static struct sampler *sample_this(void)
{
	struct sampler *sampler = sampler_of(hotpath__tid());

	if (sampler && !hotpath__own_signal_stack(sampler)) {
		hotpath__leave_unsampled(sampler);
		return NULL;
	}
	return sample(sampler);
}

/* Whether the kernel offers perf events, as it has just shown with the sampler of this thread, if that has begun. */
static bool has_events(const struct sampler *sampler)
{
	void *event = sampler ? sampler->event : open_event(hotpath__tid());

	if (event && !sampler)
		munmap(event, hotpath__page_size());
	return event;
}

/* Whether there are other threads: the folder of threads has a link for each, beside its own two. */
static bool is_alone(void)
{
	enum { OWN_LINKS = 2 };
	struct stat folder;

	return stat("/proc/self/task", &folder) == 0 && folder.st_nlink == OWN_LINKS + 1;
}

/* The entries of /proc/self/task are the tids of the process. */
static void sample_others(void)
{
	char *entries = hotpath__recorder->scratch;
	int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size;

	while (folder >= 0 && (size = syscall(SYS_getdents64, folder, entries, HP_PATH_MAX)) > 0)
		for (long at = 0; at < size;) {
			struct hotpath__entry *entry = (struct hotpath__entry *)(void *)(entries +
											 at);
			at += entry->length;
			if (entry->name[0] != '.')
				sample(sampler_of((uint32_t)strtoul(entry->name, NULL, 10)));
		}
	if (folder >= 0)
		close(folder);
}

bool hotpath__sample_all(void)
{
	const struct sampler *mine = sample_this();

	if (sampling()->source == HP_CPU_PERF && !has_events(mine))
		sampling()->source = HP_CPU_TIMER;
	if (!is_alone())
		sample_others();
	return mine;
}

struct sampler *hotpath__adopt_sampler(void)
{
	struct sampler *sampler = NULL;
	struct guard guard;

	if (!hotpath__try_lock(&guard))
		return NULL;
	sampler = find_sampler(hotpath__tid());
	hotpath__sampler = sampler;
	hotpath__unlock(&guard);
	return sampler;
}

/* ---- threads ---- */

static void thread_ends(void *sampler)
{
	struct guard guard;

	if (sampler != hotpath__sampler)
		return;
	hotpath__lock(&guard);
	if (hotpath__sampler->tid == hotpath__tid()) {
		/* Its state stays until the last round, but without the signal stack it cannot be woken. */
		if (hotpath__me)
			hotpath__wake_no_more(hotpath__me);
		silence(hotpath__sampler);
		hotpath__return_signal_stack(hotpath__sampler);
		give_back(hotpath__sampler);
	}
	hotpath__sampler = NULL;
	hotpath__unlock(&guard);
}

/* glibc allocates memory for keys from 32 on; without the key, the sampler is freed when there are many. */
static void keep(struct sampler *sampler)
{
	hotpath__sampler = sampler;
	if (sampler && end_key_made && end_key < 32)
		pthread_setspecific(end_key, sampler);
}

bool hotpath__receive_signal(void)
{
	struct sampler *sampler = sampler_of(hotpath__tid());

	if (!sampler || !hotpath__own_signal_stack(sampler))
		return false;
	keep(sampler);
	return true;
}

void hotpath__sample_thread(void)
{
	struct guard guard;

	if (!hotpath__is_sampling())
		return;
	hotpath__lock(&guard);
	struct sampler *sampler = sampling()->on ? sample_this() : NULL;
	if (sampler)
		guard.signals &= ~hotpath__signal_bit(sampling()->signal);
	keep(sampler);
	hotpath__unlock(&guard);
}

void hotpath__disarm_all(void)
{
	for (struct sampler *sampler = sampling()->samplers; sampler; sampler = sampler->next)
		disarm(sampler);
}

void hotpath__samplers_init(void)
{
	if (!end_key_made)
		end_key_made = pthread_key_create(&end_key, thread_ends) == 0;
}
