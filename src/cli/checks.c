/* SPDX-License-Identifier: MIT */
/* Checks of what the profiler needs on this machine. */
#include "checks.h"

#include "debuginfod.h"
#include "event_version.h"
#include "format.h"
#include "library_path.h"
#include "place.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Enough for a program with some hundred functions on a dozen threads. */
#define ROOM_WANTED (UINT64_C(16) << 20)
/* With less room there is no segment at all. */
#define ROOM_NEEDED (UINT64_C(64) << 10)
/* Segments of ended programs may take this much before we warn. */
#define OLD_MAX (UINT64_C(128) << 20)

static void say(struct finding *finding, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct finding *finding, enum verdict verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
	finding->verdict = verdict;
}

static void advise(struct finding *finding, const char *advice)
{
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The mean of many reads; the cost of the loop is negligible. */
static struct hp_figure cost_of(uint64_t (*read_clock)(void))
{
	enum { READS = 200000 };
	uint64_t sink = 0;
	uint64_t begin = monotonic_ns();

	for (int i = 0; i < READS; i++) {
		sink += read_clock();
		__asm__ volatile("" : "+r"(sink));
	}
	return hp_format_mean_duration((double)(monotonic_ns() - begin) / READS);
}

#if defined(__aarch64__)

static uint64_t read_counter(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static void check_clock(struct finding *finding)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	if (frequency) {
		say(finding, VERDICT_OK, "processor counter at %" PRIu64 " MHz; one read costs %s",
		    frequency / 1000000, cost_of(read_counter).text);
		return;
	}
	say(finding, VERDICT_WARN,
	    "the counter frequency is not set, so clock_gettime is used; one read costs %s",
	    cost_of(monotonic_ns).text);
	advise(finding, "the firmware should set cntfrq_el0");
}

#elif defined(__x86_64__)

static uint64_t read_counter(void)
{
	return __builtin_ia32_rdtsc();
}

static void read_clocksource(char *name, size_t size)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, name, size - 1);

	if (file >= 0)
		close(file);
	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static void check_clock(struct finding *finding)
{
	char source[32];

	read_clocksource(source, sizeof(source));
	if (strcmp(source, "tsc") == 0) {
		say(finding, VERDICT_OK, "time stamp counter (tsc); one read costs %s",
		    cost_of(read_counter).text);
		return;
	}
	say(finding, VERDICT_WARN,
	    "the kernel's clock source is %s, so clock_gettime is used; one read costs %s",
	    *source ? source : "unknown", cost_of(monotonic_ns).text);
	advise(finding, "measuring a call costs more; the kernel log says why tsc is not used");
}

#else

static void check_clock(struct finding *finding)
{
	say(finding, VERDICT_OK, "clock_gettime; one read costs %s", cost_of(monotonic_ns).text);
}

#endif

static void parent_of(const char *folder, char parent[HP_PATH_MAX])
{
	snprintf(parent, HP_PATH_MAX, "%s", folder);
	char *slash = strrchr(parent, '/');
	if (slash)
		slash[slash == parent] = '\0';
	else
		strcpy(parent, ".");
}

/* Why a program cannot keep its segment in a folder; NULL when it can. */
static const char *folder_problem(const char *folder)
{
	char parent[HP_PATH_MAX];
	struct stat status;

	if (lstat(folder, &status) < 0) {
		if (errno != ENOENT)
			return strerror(errno);
		parent_of(folder, parent);
		return access(parent, W_OK | X_OK) < 0 ? "it does not exist and cannot be created"
						       : NULL;
	}
	if (!S_ISDIR(status.st_mode))
		return "it is not a folder";
	if (status.st_uid != geteuid())
		return "it belongs to another user";
	if (status.st_mode & 0022)
		return "other users can write to it";
	return access(folder, R_OK | W_OK | X_OK) < 0 ? strerror(errno) : NULL;
}

/* The folder that a program would use; false when there is none. */
static bool choose_folder(char folder[HP_PATH_MAX], unsigned *nth)
{
	for (*nth = 0; hp_place_folder(*nth, folder); ++*nth)
		if (!folder_problem(folder))
			return true;
	return false;
}

static void check_folder(struct finding *finding)
{
	char folder[HP_PATH_MAX], first[HP_PATH_MAX];
	struct stat status;
	unsigned nth;

	bool found = choose_folder(folder, &nth);
	bool any = hp_place_folder(0, first);
	if (!found) {
		say(finding, VERDICT_FAIL, "%.300s: %s", any ? first : "$HOTPATH_DIR",
		    any ? folder_problem(first) : "the path is too long");
		advise(finding,
		       "set HOTPATH_DIR to a folder that you own and only you can write to");
		return;
	}
	if (stat(folder, &status) < 0)
		say(finding, VERDICT_OK, "%.300s, created when first needed", folder);
	else
		say(finding, VERDICT_OK, "%.300s, yours, mode %04o", folder,
		    status.st_mode & 07777);
	if (nth > 0) {
		finding->verdict = VERDICT_WARN;
		snprintf(finding->advice, sizeof(finding->advice), "%.150s cannot be used: %s",
			 first, folder_problem(first));
	}
}

static void judge_space(struct finding *finding, uint64_t free_bytes)
{
	struct hp_figure room = hp_format_bytes(free_bytes);

	if (free_bytes >= ROOM_WANTED) {
		say(finding, VERDICT_OK, "%s free", room.text);
		return;
	}
	say(finding, free_bytes < ROOM_NEEDED ? VERDICT_FAIL : VERDICT_WARN, "%s free", room.text);
	advise(finding, "free some space, try 'hotpath list --clean', or set HOTPATH_DIR");
}

static void check_space(struct finding *finding)
{
	char folder[HP_PATH_MAX], parent[HP_PATH_MAX];
	struct statvfs space;
	unsigned nth;
	if (!choose_folder(folder, &nth)) {
		say(finding, VERDICT_WARN, "unknown: no folder can be used");
		return;
	}

	parent_of(folder, parent);
	if (statvfs(folder, &space) < 0 && statvfs(parent, &space) < 0)
		say(finding, VERDICT_WARN, "unknown: %s", strerror(errno));
	else if (space.f_blocks == 0)
		say(finding, VERDICT_OK, "no limit");
	else
		judge_space(finding, (uint64_t)space.f_bavail * space.f_frsize);
}

/* Judge a resource limit, of which the recorder uses at most 1/share. */
static void judge_limit(struct finding *finding, rlim_t limit, unsigned share, const char *advice)
{
	if (limit == RLIM_INFINITY) {
		say(finding, VERDICT_OK, "no limit");
		return;
	}
	uint64_t room = limit / share;
	say(finding, room < ROOM_WANTED ? VERDICT_WARN : VERDICT_OK, "a segment can grow to %s",
	    hp_format_bytes(room).text);
	if (room < ROOM_WANTED)
		advise(finding, advice);
}

static void check_file_limit(struct finding *finding)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	getrlimit(RLIMIT_FSIZE, &limit);
	judge_limit(finding, limit.rlim_cur, 1, "raise it with 'ulimit -f'");
}

static void check_memory_limit(struct finding *finding)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	getrlimit(RLIMIT_AS, &limit);
	judge_limit(finding, limit.rlim_cur, 16, "raise it with 'ulimit -v'");
}

/* Whether the kernel supports a madvise value. */
static bool knows_advice(int advice)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;

	bool known = madvise(page, size, advice) == 0;
	munmap(page, size);
	return known;
}

static void check_growing(struct finding *finding)
{
	if (knows_advice(MADV_POPULATE_WRITE))
		say(finding, VERDICT_OK, "segments grow in one step");
	else
		say(finding, VERDICT_OK, "segments grow page by page (Linux before 5.14)");
}

static void check_forks(struct finding *finding)
{
	if (knows_advice(MADV_WIPEONFORK)) {
		say(finding, VERDICT_OK, "a forked child is told apart from its parent");
		return;
	}
	say(finding, VERDICT_WARN,
	    "a forked child may be measured as its parent (Linux before "
	    "4.14)");
	advise(finding, "use a newer kernel for programs that fork");
}

static bool has_perf_clock(bool exclude_kernel)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = exclude_kernel,
		.exclude_hv = 1,
	};
	int event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (event >= 0)
		close(event);
	return event >= 0;
}

/* Read perf_event_paranoid; "" if it cannot be read. */
static void read_paranoia(char number[16])
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");

	if (!file || !fgets(number, 16, file))
		number[0] = '\0';
	number[strcspn(number, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* The rate of CPU timers: they are checked at each timer tick of the kernel. */
static long ticks_per_second(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_REALTIME_COARSE, &tick) || tick.tv_nsec == 0)
		return 100;
	return (1000000000 + tick.tv_nsec / 2) / tick.tv_nsec;
}

static void check_sampling(struct finding *finding)
{
	char paranoia[16], limit[64] = "";

	read_paranoia(paranoia);
	if (*paranoia)
		snprintf(limit, sizeof(limit), "; perf_event_paranoid is %s", paranoia);
	if (has_perf_clock(true)) {
		say(finding, VERDICT_OK, "perf events, up to 10000 samples a second%s", limit);
		return;
	}
	say(finding, VERDICT_WARN,
	    "CPU timers, at most %ld samples a second: perf events are not available%s",
	    ticks_per_second(), limit);
	advise(finding, strtol(paranoia, NULL, 10) > 2
				? "run 'sysctl kernel.perf_event_paranoid=2' as root to allow "
				  "perf events"
				: "the container or the kernel must allow perf events");
}

static void check_attaching(struct finding *finding)
{
	if (has_perf_clock(false)) {
		say(finding, VERDICT_OK, "running programs can be sampled, system calls included");
		return;
	}
	if (has_perf_clock(true)) {
		say(finding, VERDICT_OK,
		    "your running programs can be sampled; time in system calls "
		    "has stacks for root only");
		return;
	}
	say(finding, VERDICT_WARN,
	    "'hotpath attach' cannot be used: perf events are not available");
	advise(finding, "start programs with 'hotpath run', which has CPU timers instead");
}

static void check_proc(struct finding *finding)
{
	if (access("/proc/self/maps", R_OK) == 0) {
		say(finding, VERDICT_OK, "can be read");
		return;
	}
	say(finding, VERDICT_WARN, "cannot be read: %s", strerror(errno));
	advise(finding, "mount it: without it, running programs cannot be told from ended ones");
}

/* Check a library that `hotpath run` loads into programs. */
static void check_library(struct finding *finding, const char *name, const char *advice)
{
	char path[PATH_MAX];
	bool found = library_find(name, path);

	if (found && !strpbrk(path, " :"))
		say(finding, VERDICT_OK, "%.300s", path);
	else if (found)
		say(finding, VERDICT_WARN, "its path contains a space or a colon");
	else
		say(finding, VERDICT_WARN, "%s was not found where it is installed with the tool",
		    name);
	if (finding->verdict != VERDICT_OK)
		advise(finding, advice);
}

static void check_recorder(struct finding *finding)
{
	check_library(
		finding, "libhotpath.so",
		"install both together; without it, only programs linked with libhotpath can be "
		"measured");
}

static void check_allocations(struct finding *finding)
{
	check_library(finding, "libhotpath-alloc.so",
		      "install both together; 'hotpath run --alloc' needs it");
}

static void check_waits(struct finding *finding)
{
	check_library(finding, "libhotpath-waits.so",
		      "install both together; 'hotpath run --waits' needs it");
}

/* Names of stripped files. */
static void check_debuginfod(struct finding *finding)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !*urls) {
		say(finding, VERDICT_OK,
		    "DEBUGINFOD_URLS is not set: debug information is not fetched");
	} else if (debuginfod_is_there()) {
		say(finding, VERDICT_OK, "fetches debug information that is missing");
	} else {
		say(finding, VERDICT_WARN,
		    "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not "
		    "there");
		advise(finding, "install libdebuginfod1 to see the names of stripped files");
	}
}

/* libevent reads the requests of the server. */
static void check_libevent(struct finding *finding)
{
	struct hp_text version = HP_TEXT_INIT;

	event_version_find(&version);
	const char *found = version.bytes ? version.bytes : "";
	if (event_version_is_fixed(found))
		say(finding, VERDICT_OK, "%.100s", found);
	else if (*found)
		say(finding, VERDICT_WARN, "%.100s: its HTTP server has known vulnerabilities",
		    found);
	else
		say(finding, VERDICT_WARN, "libevent 2.1 is not there");
	if (finding->verdict != VERDICT_OK)
		advise(finding,
		       *found ? "update it before 'hotpath serve': 2.1.13 is fixed, and so is "
				"2.1.12-stable-8+deb12u1 of Debian"
			      : "install libevent-extra-2.1-7 for 'hotpath serve'");
	hp_text_free(&version);
}

static void check_old_segments(struct finding *finding)
{
	struct hp_found_list list = { NULL, 0 };
	uint64_t bytes = 0, count = 0;
	struct hp_error ignored;
	if (hp_find_segments(&list, &ignored)) {
		say(finding, VERDICT_WARN, "the folder cannot be read");
		return;
	}

	for (size_t i = 0; i < list.count; i++) {
		count += !list.items[i].live;
		bytes += list.items[i].live ? 0 : list.items[i].bytes;
	}
	hp_found_list_free(&list);
	say(finding, bytes > OLD_MAX ? VERDICT_WARN : VERDICT_OK,
	    "%" PRIu64 " of ended programs, %s", count, hp_format_bytes(bytes).text);
	if (count)
		advise(finding, "'hotpath list --clean' removes them");
}

const struct check checks[] = {
	{ "clock", check_clock },
	{ "segment folder", check_folder },
	{ "space", check_space },
	{ "file size limit", check_file_limit },
	{ "memory limit", check_memory_limit },
	{ "growing", check_growing },
	{ "forks", check_forks },
	{ "sampling", check_sampling },
	{ "attaching", check_attaching },
	{ "/proc", check_proc },
	{ "recorder", check_recorder },
	{ "allocations", check_allocations },
	{ "waits", check_waits },
	{ "debuginfod", check_debuginfod },
	{ "libevent", check_libevent },
	{ "old segments", check_old_segments },
	{ NULL, NULL },
};
