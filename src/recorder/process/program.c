/* SPDX-License-Identifier: MIT */
/*
 * The process: its executable, its arguments, its title and its start time.
 *
 * Some programs write over their arguments, to show a title in lists of processes, or parse them in place. So the
 * arguments are read when the program begins, and kept for forked children, whose parent may have written over them
 * already. What is in place of the first argument later is the title.
 */
#include "lifecycle.h"

#include "kernel_files.h"
#include "recorder_state.h"
#include "segment_file.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* The first contents of /proc/self/cmdline: the words of the command line, each with a NUL. */
static struct {
	char words[HP_PATH_MAX];
	size_t length;
} began;

void hotpath__note_program(void)
{
	if (began.length)
		return;
	ssize_t length = hotpath__read_file("/proc/self/cmdline", began.words, sizeof(began.words));
	began.length = length > 0 ? (size_t)length : 0;
}

/* The file name in a path. The kernel appends " (deleted)" if the file is gone, which is cut off. */
static const char *file_name(char *path)
{
	static const char gone[] = " (deleted)";
	size_t length = strlen(path), less = sizeof(gone) - 1;

	if (length > less && strcmp(path + length - less, gone) == 0)
		path[length - less] = '\0';
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void describe_executable(struct hp_header *header)
{
	char *path = hotpath__recorder->scratch;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(hotpath__recorder->scratch) - 1);

	if (length > 0)
		path[length] = '\0';
	else
		memcpy(path, began.words, sizeof(began.words));
	header->program = hotpath__segment_string(file_name(path));
	if (length > 0)
		header->executable = hotpath__segment_string(path);
}

static void describe_arguments(struct hp_header *header)
{
	char *words = hotpath__recorder->scratch;
	size_t first = strlen(began.words) + 1;

	if (first >= began.length)
		return;
	memcpy(words, began.words + first, began.length - first + 1);
	for (size_t i = 0; i + first < began.length - 1; i++)
		if (!words[i])
			words[i] = ' ';
	header->arguments = hotpath__segment_string(words);
}

/* Skip so many words, each with the blank after it. */
static const char *skip_words(const char *at, unsigned words)
{
	while (words && *at)
		if (*at++ == ' ')
			words--;
	return at;
}

/* Field 22 of /proc/self/stat: the start of the process, in clock ticks since boot. 0 when it is not known. */
static uint64_t ticks_at_start(char *text, size_t size)
{
	uint64_t ticks = 0;

	hotpath__read_file("/proc/self/stat", text, size);
	const char *name_end = strrchr(text, ')');
	for (const char *at = name_end ? skip_words(name_end, 20) : ""; *at >= '0' && *at <= '9';
	     at++)
		ticks = ticks * 10 + (uint64_t)(*at - '0');
	return ticks;
}

static uint64_t time_by(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t process_start(void)
{
	uint64_t ticks = ticks_at_start(hotpath__recorder->scratch,
					sizeof(hotpath__recorder->scratch));
	uint64_t each = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);

	return ticks ? time_by(CLOCK_REALTIME) - (time_by(CLOCK_BOOTTIME) - ticks * each) : 0;
}

void hotpath__describe_program(struct hp_header *header)
{
	hotpath__note_program();
	describe_executable(header);
	describe_arguments(header);
	header->process_unix_ns = process_start();
	hotpath__note_title(header);
}

/* Remove blanks at the end, which programs use to overwrite the rest of their arguments. */
static void trim(char *title)
{
	size_t length = strlen(title);

	while (length && title[length - 1] == ' ')
		title[--length] = '\0';
}

void hotpath__note_title(struct hp_header *header)
{
	char *title = hotpath__recorder->scratch;
	const char *known = hotpath__recorder->base + header->title + sizeof(struct hp_string);

	hotpath__read_file("/proc/self/cmdline", title, sizeof(hotpath__recorder->scratch));
	trim(title);
	if (!*title || (header->title && strcmp(title, known) == 0))
		return;
	uint64_t at = hotpath__segment_string(title);
	/* Pairs with the reader's ACQUIRE. */
	if (at)
		store(&header->title, at, RELEASE);
}
