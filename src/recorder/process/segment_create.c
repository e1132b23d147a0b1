/* SPDX-License-Identifier: MIT */
/*
 * The segment's file: in which folder it is created, what its header says, and how it is cut to its used size at the end.
 *
 * The file has its full size from the start, but holes take no room. The descriptor is closed at once: programs that
 * close all descriptors, or change their root, go on being recorded. If no folder can have a file, the segment is private
 * memory, which only the program's own report sees.
 */
#include "segment_file.h"

#include "calls/logged.h"
#include "clock.h"
#include "kernel_files.h"
#include "life.h"
#include "lifecycle.h"
#include "platform.h"
#include "recorder_state.h"
#include "room.h"
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The smallest useful size, in bytes: the header, the first sites, a lane. */
	LEAST = 64 * 1024,
	/* The number of segments of ended programs that are kept. */
	KEEP_ENDED = 32,
};

#define CAPACITY_MAX (sizeof(void *) == 8 ? HP_CAPACITY_MAX : UINT64_C(1) << 27)

/* The capacity that the program's RLIMIT_AS leaves for us. */
static uint64_t private_capacity(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur / 16 >= CAPACITY_MAX)
		return CAPACITY_MAX;
	return limit.rlim_cur / 16 / hotpath__page_size() * hotpath__page_size();
}

/* The capacity within RLIMIT_FSIZE: growing a file beyond that would raise SIGXFSZ. */
static uint64_t file_capacity(void)
{
	uint64_t capacity = private_capacity();
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= capacity)
		return capacity;
	return limit.rlim_cur / hotpath__page_size() * hotpath__page_size();
}

/* The system call that failed last while the segment was created, for the warning. */
static const char *failed_call = "open";

static bool did(const char *call, bool done)
{
	if (!done)
		failed_call = call;
	return done;
}

/* Another process may create the folder at the same time. */
int hotpath__open_folder(const char *folder)
{
	int fd = hp_place_open(folder, geteuid());

	if (fd < 0 && errno == ENOENT) {
		if (!did("mkdir", mkdir(folder, 0700) == 0 || errno == EEXIST))
			return -1;
		fd = hp_place_open(folder, geteuid());
	}
	did("open", fd >= 0);
	return fd;
}

/* Whether a living program writes to a segment; also true if the file cannot be opened, so that it is left alone. */
static bool is_written(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return true;
	bool written = hp_life_goes_on(fd, name);
	close(fd);
	return written;
}

/* Count the segments of ended programs in a folder, and find the oldest of them. */
static unsigned ended_segments(int folder, char oldest[64])
{
	char *entries = hotpath__recorder->scratch;
	uint64_t oldest_start = UINT64_MAX;
	unsigned ended = 0;
	long size;

	lseek(folder, 0, SEEK_SET);
	while ((size = syscall(SYS_getdents64, folder, entries,
			       sizeof(hotpath__recorder->scratch))) > 0)
		for (long at = 0; at < size;) {
			struct hotpath__entry *entry = (struct hotpath__entry *)(void *)(entries +
											 at);
			uint32_t pid;
			uint64_t start;

			at += entry->length;
			if (!hp_place_parse(entry->name, &pid, &start) ||
			    is_written(folder, entry->name))
				continue;
			ended++;
			if (start < oldest_start) {
				oldest_start = start;
				strncpy(oldest, entry->name, 63);
			}
		}
	return ended;
}

/* Remove old segments: programs that are run again and again would fill the folder, which may be in memory
   (/dev/shm). */
static void remove_oldest(int folder)
{
	char oldest[64] = "";

	for (unsigned left = ended_segments(folder, oldest); left >= KEEP_ENDED; left--) {
		if (unlinkat(folder, oldest, 0))
			return;
		ended_segments(folder, oldest);
	}
}

static bool map_file(int fd, uint64_t capacity)
{
	struct recorder *recorder = hotpath__recorder;
	struct stat info;

	if (capacity < LEAST) {
		errno = EFBIG;
		return false;
	}
	if (!did("fchmod", fchmod(fd, 0600) == 0) || !did("fstat", fstat(fd, &info) == 0) ||
	    !did("ftruncate", ftruncate(fd, (off_t)capacity) == 0))
		return false;
	recorder->capacity = capacity;
	recorder->usable = 0;
	recorder->device = info.st_dev;
	recorder->inode = info.st_ino;
	if (!did("mmap", hotpath__map_segment(fd, LEAST)))
		return false;
	if (did("madvise", hotpath__segment_usable(LEAST)))
		return true;
	int why = errno;
	munmap(recorder->base, recorder->mapped);
	recorder->base = NULL;
	/* EFAULT from madvise means that the file system is full, and the page would raise SIGBUS. */
	errno = why == EFAULT ? ENOSPC : why;
	return false;
}

/*
 * Whether a file system is copy-on-write. There, each write to a page that was written back needs new blocks, so a
 * full file system raises SIGBUS even for populated pages. An overlay does not tell its lower file system; but btrfs
 * is recognised by its number of inodes, 0.
 */
static bool copies_on_write(int folder)
{
	enum {
		BTRFS = 0x9123683e,
		BCACHEFS = 0xca451a4e,
		NILFS = 0x3434,
		OVERLAY = 0x794c7630,
	};
	struct statfs info;

	if (fstatfs(folder, &info))
		return false;
	/* The kernel's type is as wide as a register, and may be negative. */
	switch ((uint32_t)info.f_type) {
	case BTRFS:
	case BCACHEFS:
	case NILFS:
		return true;
	case OVERLAY:
		return info.f_files == 0;
	default:
		return false;
	}
}

/*
 * The file is opened twice, because the lock and the mapping need open file descriptions of their own: the lock ends
 * with this process, while forked children inherit the mapping, in which they find their parent's sites.
 */
static int make_file(int folder, const char *name)
{
	int lock = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (lock < 0)
		return -1;
	bool locked = hp_life_begin(lock);
	close(lock);
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	hotpath__recorder->lock_holds = fd >= 0 && locked && hp_life_is_held(fd);
	return fd;
}

/* Create the file and map it. Returns false with errno. */
static bool create_file(int folder, const char *name, uint64_t capacity)
{
	int fd = make_file(folder, name);
	bool created = did("open", fd >= 0) && map_file(fd, capacity);
	int why = errno;

	if (fd >= 0)
		close(fd);
	if (!created && why != EEXIST)
		unlinkat(folder, name, 0);
	errno = why;
	return created;
}

static bool create_in(const char *folder, const char *name, bool tidy, uint64_t capacity)
{
	int folder_fd = hotpath__open_folder(folder);

	if (folder_fd < 0)
		return false;
	bool created = false;
	if (copies_on_write(folder_fd)) {
		errno = EMEDIUMTYPE;
	} else {
		if (tidy)
			remove_oldest(folder_fd);
		created = create_file(folder_fd, name, capacity);
	}
	/* The folder is there: the kernel says this of a file that may not be, as in /proc. */
	int why = errno == ENOENT ? ENODEV : errno;
	close(folder_fd);
	errno = why;
	return created;
}

/* Remember the path of the file. If it is too long, the file is not cut to its used size at the end. */
static void set_path(const char *folder, const char *name)
{
	char *path = hotpath__recorder->path;
	size_t length = strlen(folder);

	if (folder != path)
		memcpy(path, folder, length + 1);
	if (length + 1 + strlen(name) >= HP_PATH_MAX)
		return;
	path[length] = '/';
	strcpy(path + length + 1, name);
}

static bool create_private(void)
{
	struct recorder *recorder = hotpath__recorder;

	recorder->path[0] = '\0';
	recorder->lock_holds = false;
	recorder->capacity = private_capacity();
	recorder->usable = 0;
	return hotpath__map_segment(-1, LEAST) && hotpath__segment_usable(LEAST);
}

/* The text for an error; not strerror, which may allocate and lock. */
static const char *reason(int error)
{
	static const struct {
		int error;
		char text[60];
	} reasons[] = {
		{ HP_PLACE_FOREIGN, HP_PLACE_RULE },
		{ ENOSPC, "it is full" },
		{ EDQUOT, "it is full" },
		{ EFBIG, "the file size limit is too low" },
		{ ENOENT, "it does not exist" },
		{ ENODEV, "no file can be made in it" },
		{ ENOTDIR, "it is not a folder" },
		{ ELOOP, "it is a symbolic link" },
		{ EACCES, "permission denied" },
		{ EROFS, "it is read-only" },
		{ ENOMEM, "no address space" },
		{ ENAMETOOLONG, "the path is too long" },
		{ EMFILE, "no file descriptor is left" },
		{ EMEDIUMTYPE, "its file system (btrfs or the like) is not safe when full" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].error == error)
			return reasons[i].text;
	return NULL;
}

static void warn_private(const char *folder, int why)
{
	static const char rest[] = "; `hotpath report` will not see this program (set HOTPATH_DIR)";
	const char *text = reason(why);

	if (text)
		hotpath__warn("cannot keep a segment in ", folder, ": ", text, rest, NULL);
	else
		hotpath__warn("cannot keep a segment in ", folder, ": the kernel refuses ",
			      failed_call, rest, NULL);
}

/* Create the segment in the first folder that works. Returns 0, or the errno of the last one. */
static int create_in_any(bool (*place)(unsigned nth, char *folder), const char *name, bool tidy)
{
	char *path = hotpath__recorder->path;
	uint64_t capacity = file_capacity();
	int why = ENAMETOOLONG;

	for (unsigned nth = 0; place(nth, path); nth++) {
		if (create_in(path, name, tidy, capacity)) {
			set_path(path, name);
			return 0;
		}
		why = errno;
	}
	return why;
}

/* A program that has given up root privileges may not be able to write to HOTPATH_DIR: it also tries the default
   folders of its present user. */
static bool create_anywhere(const char *name, bool tidy)
{
	char *path = hotpath__recorder->path;
	int why = create_in_any(hp_place_folder, name, tidy);

	if (why && hotpath__was_root())
		why = create_in_any(hp_place_default, name, tidy);
	if (!why)
		return true;
	if (!hotpath__filters)
		warn_private(hp_place_folder(0, path) ? path : "HOTPATH_DIR", why);
	return create_private();
}

bool hotpath__segment_create(const struct settings *settings)
{
	struct hp_moment chosen = hotpath__clock_choose(settings->monotonic);
	struct timespec now;
	char name[64];

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t start = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	hp_place_name(name, sizeof(name), (uint32_t)getpid(), start);
	if (!create_anywhere(name, !settings->run[0]))
		return false;

	struct hp_header *header = hotpath__header();
	hotpath__recorder->used = HP_HEADER_SIZE;
	memcpy(header->magic, HP_MAGIC, sizeof(HP_MAGIC));
	header->version_major = HP_VERSION_MAJOR;
	header->version_minor = HP_VERSION_MINOR;
	header->byte_order = HP_BYTE_ORDER;
	header->header_size = HP_HEADER_SIZE;
	header->lane_size = sizeof(struct hp_lane);
	header->stat_size = sizeof(struct hp_stat);
	header->node_size = settings->tree ? sizeof(struct hp_node) : 0;
	header->used = HP_HEADER_SIZE;
	header->capacity = hotpath__recorder->capacity;
	header->pid = (uint32_t)getpid();
	header->parent_pid = (uint32_t)getppid();
	header->start_unix_ns = start;
	header->was_root = hotpath__was_root();
	header->lock_holds = hotpath__recorder->lock_holds;
	header->pid_namespace = hp_life_pid_namespace();
	header->time_namespace = hp_life_time_namespace();
	header->logs_limit = settings->logs_limit;
	header->max_overhead = settings->max_overhead;
	if (hotpath__has_long_texts(HP_TEXT_SIZE))
		header->long_text_size = settings->max_log_len + 1;
	memcpy(header->run, settings->run, sizeof(header->run));
	hp_life_boot(header->boot_id);
	hotpath__describe_program(header);
	hotpath__clock_init(header, chosen);
	if (settings->has_metadata)
		header->user_metadata = hotpath__segment_string(
			secure_getenv("HOTPATH_USER_METADATA"));
	return true;
}

/* Under the lock: another thread must not allocate in the part that is being cut off. */
void hotpath__segment_finish(void)
{
	struct recorder *recorder = hotpath__recorder;
	struct guard guard;
	struct stat info;

	hotpath__lock(&guard);
	recorder->capacity = recorder->usable;
	/* If the rest cannot be cut off, that does no harm: it is a hole in the file. */
	if (recorder->path[0] && stat(recorder->path, &info) == 0 &&
	    info.st_dev == recorder->device && info.st_ino == recorder->inode)
		(void)!truncate(recorder->path, (off_t)recorder->usable);
	hotpath__unlock(&guard);
}
