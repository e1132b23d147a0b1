/* SPDX-License-Identifier: MIT */
#include "serve_request.h"

#include "arm_request.h"
#include "atomic.h"
#include "place.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "sleds.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- that requests are served ---- */

/* In newer headers: the memory is never executable. Kernels before 6.3 do not know it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

static long make_named(const char *name)
{
	long fd = syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return fd < 0 && errno == EINVAL ? syscall(SYS_memfd_create, name, MFD_CLOEXEC) : fd;
}

/* A mapping of an empty file: it takes no memory, and forked children have it, too. */
void hotpath__tell_listening(int signal)
{
	static void *mapping = MAP_FAILED;
	char name[] = HP_REQUEST_MAPPING "00";
	size_t size = hotpath__page_size();

	if (mapping != MAP_FAILED)
		munmap(mapping, size);
	mapping = MAP_FAILED;
	name[sizeof(name) - 3] = (char)('0' + signal / 10);
	name[sizeof(name) - 2] = (char)('0' + signal % 10);
	long fd = signal ? make_named(name) : -1;
	if (fd < 0)
		return;
	mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, (int)fd, 0);
	close((int)fd);
}

/* ---- what is wanted ---- */

/* An open request. */
struct asked {
	struct hp_arm_request request;
	int file;
};

/* Whether a file was put there by this user or by root, and has all that it says. */
static bool is_genuine(const struct asked *asked)
{
	const struct hp_arm_request *request = &asked->request;
	struct stat info;

	return fstat(asked->file, &info) == 0 && S_ISREG(info.st_mode) &&
	       (info.st_uid == geteuid() || info.st_uid == 0) &&
	       request->magic == HP_REQUEST_MAGIC &&
	       request->address_count <= HP_REQUEST_ADDRESSES_MAX &&
	       (uint64_t)info.st_size >=
		       sizeof(*request) + request->address_count * sizeof(uint64_t);
}

static bool open_in(const char *folder, struct asked *asked)
{
	char name[32];
	int fd = hp_place_open(folder, geteuid());
	if (fd < 0)
		return false;

	hp_place_request(name, sizeof(name), (uint32_t)getpid());
	asked->file = openat(fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (asked->file >= 0)
		unlinkat(fd, name, 0);
	close(fd);
	return asked->file >= 0;
}

/* The file is removed, so that nobody else serves it. */
static bool open_request(struct asked *asked)
{
	struct guard guard;
	bool found = false;

	hotpath__lock(&guard);
	char *folder = hotpath__recorder->scratch;
	for (unsigned i = 0; !found && hp_place_common(i, geteuid(), folder); i++)
		found = open_in(folder, asked);
	hotpath__unlock(&guard);
	if (!found)
		return false;
	if (pread(asked->file, &asked->request, sizeof(asked->request), 0) ==
		    (ssize_t)sizeof(asked->request) &&
	    is_genuine(asked))
		return true;
	close(asked->file);
	return false;
}

/* Ask for the functions at all addresses of a request, or for none of them; the lock is held. */
static void ask_addresses(struct asked *asked, bool wanted)
{
	uint64_t *addresses = (uint64_t *)(void *)hotpath__recorder->scratch;
	const size_t room = sizeof(hotpath__recorder->scratch);
	off_t at = sizeof(asked->request);
	off_t end = at + (off_t)(asked->request.address_count * sizeof(*addresses));

	while (at < end) {
		size_t wish = (size_t)(end - at) < room ? (size_t)(end - at) : room;
		ssize_t got = pread(asked->file, addresses, wish, at);
		if (got < (ssize_t)sizeof(*addresses))
			return;
		size_t count = (size_t)got / sizeof(*addresses);
		for (size_t i = 0; i < count; i++)
			asked->request.found += hotpath__sled_ask((uintptr_t)addresses[i], wanted);
		at += (off_t)(count * sizeof(*addresses));
	}
}

static bool arms(const struct hp_arm_request *request)
{
	return request->kind == HP_REQUEST_ARM || request->kind == HP_REQUEST_ARM_ALL;
}

/* Returns whether code may be changed. */
static bool apply(struct asked *asked)
{
	uint32_t kind = asked->request.kind;
	bool wanted = arms(&asked->request);
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__sleds_know();
	if (kind == HP_REQUEST_ARM_ALL || kind == HP_REQUEST_DISARM_ALL)
		hotpath__sleds_ask_all(wanted);
	else
		ask_addresses(asked, wanted);
	bool done = hotpath__sleds_update(hotpath__ticks());
	asked->request.functions = hotpath__sleds_count(&asked->request.measured);
	hotpath__unlock(&guard);
	return done;
}

static enum hp_answer do_request(struct asked *asked)
{
	struct hp_arm_request *request = &asked->request;
	bool began = false;

	if (request->version != HP_REQUEST_VERSION || request->kind < HP_REQUEST_ARM ||
	    request->kind > HP_REQUEST_DISARM_ALL)
		return HP_ANSWER_UNKNOWN;
	if (arms(request) && !hotpath__request_begins(request->rate, &began))
		return HP_ANSWER_OFF;
	bool done = apply(asked);
	request->began = done && began;
	/* A program that may not be changed, or does not record, is left as it was. */
	if (request->kind == HP_REQUEST_DISARM_ALL || (began && !done) ||
	    hotpath__state() == STATE_IDLE)
		hotpath__request_ends();
	return done ? HP_ANSWER_DONE : HP_ANSWER_FORBIDDEN;
}

static void answer(struct asked *asked)
{
	asked->request.answer = do_request(asked);
	if (lseek(asked->file, 0, SEEK_SET) == 0)
		(void)!write(asked->file, &asked->request, sizeof(asked->request));
	close(asked->file);
}

void hotpath__serve_request(void)
{
	struct asked asked;

	if (hotpath__state() == STATE_OFF)
		return;
	/* The signal may come again meanwhile, on any thread. ACQUIRE and RELEASE: one request after the other. */
	bool *is_serving = &hotpath__recorder->is_serving;
	if (exchange(is_serving, true, ACQUIRE))
		return;
	if (hotpath__may_all() && open_request(&asked))
		answer(&asked);
	store(is_serving, false, RELEASE);
}
