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

/* The path of the executable; empty until it is known. A forked child has the same. */
static char executable[HP_PATH_MAX];

void hotpath__note_program(void)
{
	if (began.length)
		return;
	ssize_t length = hotpath__read_file("/proc/self/cmdline", began.words, sizeof(began.words));
	began.length = length > 0 ? (size_t)length : 0;
}

const char *hotpath__command_line(size_t *length)
{
	hotpath__note_program();
	*length = began.length;
	return began.words;
}

/* The kernel appends " (deleted)" if the file is gone, which is cut off. */
const char *hotpath__executable(void)
{
	static const char gone[] = " (deleted)";
	const ssize_t less = sizeof(gone) - 1;

	if (executable[0])
		return executable;
	ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
	if (length > less && memcmp(executable + length - less, gone, (size_t)less) == 0)
		length -= less;
	executable[length > 0 ? length : 0] = '\0';
	return executable;
}

static void describe_executable(struct hp_header *header)
{
	const char *path = hotpath__executable(), *known = *path ? path : began.words;
	const char *slash = strrchr(known, '/');

	header->program = hotpath__segment_string(slash ? slash + 1 : known);
	if (*path)
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

/* Field 22 of /proc/self/stat. */
uint64_t hotpath__process_ticks(char *text, size_t size)
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

uint64_t hotpath__process_unix_ns(uint64_t ticks)
{
	uint64_t each = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);

	return ticks ? time_by(CLOCK_REALTIME) - (time_by(CLOCK_BOOTTIME) - ticks * each) : 0;
}

void hotpath__describe_program(struct hp_header *header)
{
	hotpath__note_program();
	describe_executable(header);
	describe_arguments(header);
	header->process_unix_ns = hotpath__process_unix_ns(hotpath__process_ticks(
		hotpath__recorder->scratch, sizeof(hotpath__recorder->scratch)));
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
