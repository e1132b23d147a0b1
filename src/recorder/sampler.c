/* SPDX-License-Identifier: MIT */
/*
 * A signal to every thread, each time it has computed for a period.
 *
 * Each thread has an event of the kernel's software clock, which counts its CPU time and comes while it
 * executes the program's own code, never inside a system call: so no system call is interrupted. What system calls take is
 * found out with a CPU timer, which the kernel looks at in its ticks; its signal comes when the call has
 * returned. Where the kernel has no such event for us, the timer is all there is.
 *
 * No descriptor is kept, which the program might close, or run out of: an event lives as long as it is mapped.
 * The signal is one that is ignored by default, so that it does no harm where nobody handles it any more.
 */
#include "sampler.h"

#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* How often the timer comes that is for system calls only: it cannot be more often everywhere. */
	TICK_NS = 4000000,
	/* Samplers that are looked through for ended threads when there are so many, or twice, or … */
	MANY = 64,
};

__thread struct sampler *hotpath__sampler __attribute__((tls_model("initial-exec")));

/* In the order in which they are tried. */
static const int signals[] = { SIGURG, SIGPROF };

/* What a forked child inherits: how often its parent was sampled; 0 for not at all. */
static unsigned inherited_rate;
static pthread_key_t end_key;
static bool end_key_made;

static struct sampling *sampling(void)
{
	return &hotpath__recorder->sampling;
}

/* ---- what the kernel offers ---- */

/* As the kernel numbers the CPU clocks of threads. */
static clockid_t clock_of(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

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

/* NULL when it is refused. */
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

	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, (int)fd, 0);
	if (page != MAP_FAILED &&
	    !(signal_thread((int)fd, tid) && ioctl((int)fd, PERF_EVENT_IOC_ENABLE, 0) == 0)) {
		munmap(page, (size_t)sysconf(_SC_PAGESIZE));
		page = MAP_FAILED;
	}
	close((int)fd);
	return page == MAP_FAILED ? NULL : page;
}

static void close_event(struct sampler *sampler)
{
	void *event = sampler->event;

	/* RELAXED, as are the rest: a signal that is under way finds one or the other. */
	store(&sampler->event, NULL, RELAXED);
	if (event)
		munmap(event, (size_t)sysconf(_SC_PAGESIZE));
}

/* The thread follows the value, the signal and the kind, whatever the C library calls it. */
static void set_receiver(struct sigevent *event, pid_t tid)
{
	memcpy((char *)event + offsetof(struct sigevent, sigev_notify) +
		       sizeof(event->sigev_notify),
	       &tid, sizeof(tid));
}

/* Not by the C library, which may allocate for it. */
static bool start_timer(struct sampler *sampler, uint64_t interval)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = sampling()->signal,
				  .sigev_value.sival_ptr = sampler };
	const struct timespec time = { (time_t)(interval / 1000000000),
				       (long)(interval % 1000000000) };
	const struct itimerspec times = { time, time };

	set_receiver(&event, (pid_t)sampler->tid);
	if (syscall(SYS_timer_create, clock_of(sampler->tid), &event, &sampler->timer))
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

	store(&sampler->counted_ns, cpu_ns(clock_of(sampler->tid)), RELAXED);
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

/* Of threads that ended without a word. */
static void reclaim(const struct sampling *all)
{
	struct sampler *next;

	if (all->count < MANY || (all->count & (all->count - 1)))
		return;
	for (struct sampler *sampler = all->samplers; sampler; sampler = next) {
		next = sampler->next;
		if (syscall(SYS_tgkill, getpid(), sampler->tid, 0) != 0)
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
static struct sampler *sample(uint32_t tid)
{
	struct sampler *sampler = find_sampler(tid);

	if (!sampler)
		sampler = new_sampler(tid);
	if (sampler && !is_armed(sampler) && !arm(sampler))
		return NULL;
	return sampler;
}

/* The threads of the process are the numbers in this folder. */
static bool sample_all(void)
{
	char *entries = hotpath__recorder->scratch;
	int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size;

	bool sampled = sample(hotpath__tid()) != NULL;
	while (folder >= 0 && (size = syscall(SYS_getdents64, folder, entries, HP_PATH_MAX)) > 0)
		for (long at = 0; at < size;) {
			struct hotpath__entry *entry = (struct hotpath__entry *)(void *)(entries +
											 at);
			at += entry->length;
			if (entry->name[0] != '.')
				sample((uint32_t)strtoul(entry->name, NULL, 10));
		}
	if (folder >= 0)
		close(folder);
	return sampled;
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
	if (hotpath__sampler->tid == hotpath__tid())
		give_back(hotpath__sampler);
	hotpath__sampler = NULL;
	hotpath__unlock(&guard);
}

void hotpath__sample_thread(void)
{
	struct guard guard;

	if (!hotpath__is_sampling())
		return;
	hotpath__lock(&guard);
	struct sampler *sampler = sampling()->on ? sample(hotpath__tid()) : NULL;
	if (sampler)
		sigdelset(&guard.signals, sampling()->signal);
	hotpath__sampler = sampler;
	/* glibc allocates for keys above the first 32: such a sampler is found when there are many. */
	if (sampler && end_key_made && end_key < 32)
		pthread_setspecific(end_key, sampler);
	hotpath__unlock(&guard);
}

/* ---- the process; the lock is held ---- */

static bool is_free(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action))
		return false;
	if (action.sa_flags & SA_SIGINFO)
		return action.sa_sigaction == hotpath__look;
	return action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN;
}

/* Take a signal that the program has no use for, other than one that it is about to use. */
static bool take_signal(int other)
{
	struct sigaction action = { .sa_sigaction = hotpath__look,
				    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (signals[i] == other || !is_free(signals[i]))
			continue;
		store(&sampling()->signal, signals[i], RELAXED);
		sampling()->before = (struct sigaction){ .sa_handler = SIG_DFL };
		return sigaction(signals[i], &action, NULL) == 0;
	}
	return false;
}

static void choose_source(void)
{
	struct sampling *all = sampling();
	void *event = NULL;

	if (hotpath__settings()->cpu_source != HP_CPU_TIMER)
		event = open_event(hotpath__tid());
	all->source = event ? HP_CPU_PERF : HP_CPU_TIMER;
	if (event)
		munmap(event, (size_t)sysconf(_SC_PAGESIZE));
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
}

static void describe(void)
{
	if (hotpath__recorder->base)
		hotpath__describe_sampling(hotpath__header());
}

static void begin(int other_signal)
{
	struct sampling *all = sampling();

	if (!take_signal(other_signal)) {
		all->end = HP_CPU_SIGNAL_TAKEN;
		hotpath__warn("no CPU sampling: the program uses SIGURG and SIGPROF itself", NULL);
		return;
	}
	choose_source();
	store(&all->on, sample_all(), RELAXED);
	all->end = all->on ? HP_CPU_GOES_ON : HP_CPU_REFUSED;
	if (!all->on)
		hotpath__warn("no CPU sampling: the kernel refuses events and timers", NULL);
}

/* The signal stays ours, since one may be under way. */
static void end(void)
{
	struct sampling *all = sampling();

	store(&all->on, false, RELAXED);
	for (struct sampler *sampler = all->samplers; sampler; sampler = sampler->next)
		disarm(sampler);
}

/* A probe that takes part. */
static void (*when_sampling)(bool by_counter);

void hotpath__when_sampling(void (*call)(bool by_counter))
{
	when_sampling = call;
	if (hotpath__is_sampling())
		call(!hotpath__monotonic);
}

static void forked(void)
{
	hotpath__sampler = NULL;
	if (inherited_rate && hotpath__state() == STATE_ARMED)
		hotpath__sampling_begin(inherited_rate);
}

static void prepare(void)
{
	if (end_key_made)
		return;
	end_key_made = pthread_key_create(&end_key, thread_ends) == 0;
	pthread_atfork(NULL, NULL, forked);
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
		all->before_ns = hotpath__recorder->base ? cpu_ns(CLOCK_PROCESS_CPUTIME_ID) : 0;
		begin(0);
		describe();
		inherited_rate = all->on ? rate : 0;
		sigdelset(&guard.signals, all->signal);
	}
	hotpath__unlock(&guard);
	if (when_sampling)
		when_sampling(!hotpath__monotonic);
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

bool hotpath__is_sampling(void)
{
	/* RELAXED: who begins it may be seen a little later. */
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);

	return recorder && load(&recorder->sampling.on, RELAXED);
}

int hotpath__sampling_signal(void)
{
	return hotpath__is_sampling() ? load(&sampling()->signal, RELAXED) : 0;
}

bool hotpath__is_sampling_with(int signal)
{
	return signal && hotpath__sampling_signal() == signal;
}

void hotpath__sampling_pretends(const struct sigaction *action, struct sigaction *before)
{
	struct guard guard;

	hotpath__lock(&guard);
	*before = sampling()->before;
	if (action)
		sampling()->before = *action;
	hotpath__unlock(&guard);
}

void hotpath__sampling_gives_way(int signal)
{
	struct guard guard;

	hotpath__lock(&guard);
	if (hotpath__is_sampling_with(signal)) {
		end();
		begin(signal);
		describe();
	}
	hotpath__unlock(&guard);
}

/* All CPU time of the process since sampling began, less what there are samples for. */
void hotpath__note_cpu(struct hp_header *header)
{
	const struct sampling *all = sampling();
	uint64_t time = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - all->before_ns, seen = 0;

	if (!all->period_ns || !header->cpu_period_ns)
		return;
	for (uint64_t at = header->lanes; at;) {
		const struct hp_lane *lane = (const struct hp_lane *)(void *)((char *)header + at);
		if (load(&lane->session, RELAXED) == header->session)
			seen += load(&lane->samples, RELAXED) * all->period_ns;
		at = lane->next;
	}
	store(&header->cpu_unseen_ns, hotpath__less(time, seen), RELAXED);
}
