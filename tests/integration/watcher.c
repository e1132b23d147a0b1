/* SPDX-License-Identifier: MIT */
/*
 * Watches what its argument names, as it is told: a line each, answered by one.
 *
 *	read NAME...  read again, with these functions visible: "STATE RESTARTS", or what is wrong
 *	quota N       how many other stats a read covers
 *	picture       the last picture, as a report
 *	whole         everything, as a report
 *	mark          keep everything as it is now: "ok"
 *	since         what happened since the mark, as a report
 *	recent NAME   how many recent calls there are
 *	calling NAME  the calls of each thread
 *	trend NAME    calls a second
 *	memory        kilobytes that this process had at most
 *	cpu           microseconds of CPU time so far
 */
#include "report.h"
#include "since.h"
#include "watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static struct hp_watch *watch;
static struct hp_error error;

/* As of the last picture; 0 when there is none. */
static uint32_t id_of(const char *name)
{
	const struct hp_model *model = hp_watch_model(watch);

	for (size_t i = 0; model && i < model->function_count; i++)
		if (strcmp(model->functions[i].name, name) == 0)
			return model->functions[i].id;
	return 0;
}

static void read_again(char *words)
{
	static const char *const states[] = { "waiting", "live", "stale", "ended" };
	static uint32_t visible[1000];
	size_t count = 0;

	for (char *name = strtok(words, " "); name && count < 1000; name = strtok(NULL, " "))
		visible[count++] = id_of(name);
	if (hp_watch_read(watch, visible, count, &error))
		printf("%s\n", error.text);
	else
		printf("%s %u\n", states[hp_watch_state(watch)], hp_watch_restarts(watch));
}

static void write_report(const struct hp_model *model)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options options;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	if (model)
		hp_report_write(model, &options, &text);
	printf("%s%s", model ? text.bytes : error.text, model ? "" : "\n");
	hp_text_free(&text);
}

static void picture(char *unused)
{
	(void)unused;
	write_report(hp_watch_model(watch));
}

static void whole(char *unused)
{
	struct hp_model *model = hp_watch_whole(watch, &error);

	(void)unused;
	write_report(model);
	hp_model_free(model);
}

static struct hp_model *marked;

static void mark(char *unused)
{
	(void)unused;
	hp_model_free(marked);
	marked = hp_watch_whole(watch, &error);
	printf("%s\n", marked ? "ok" : error.text);
}

static void since(char *unused)
{
	struct hp_model *now = hp_watch_whole(watch, &error);
	struct hp_model *window = now ? hp_model_since(now, marked, &error) : NULL;

	(void)unused;
	write_report(window);
	hp_model_free(window);
	hp_model_free(now);
}

static void recent(char *name)
{
	struct hp_recent *calls;
	ssize_t count = hp_watch_recent(watch, name, &calls, &error);

	printf("%zd\n", count);
	free(calls);
}

static void calling(char *name)
{
	struct hp_calling *threads;
	ssize_t count = hp_watch_calling(watch, id_of(name), &threads, &error);

	for (ssize_t i = 0; i < count; i++)
		printf("%" PRIu32 ":%" PRIu64 " ", threads[i].tid, threads[i].calls);
	printf("\n");
	free(threads);
}

static void trend(char *name)
{
	const struct hp_model *model = hp_watch_model(watch);

	for (size_t i = 0; i < model->function_count; i++)
		if (strcmp(model->functions[i].name, name) == 0 && model->functions[i].trend)
			printf("%.3f ", model->functions[i].trend->rate);
	printf("\n");
}

static void quota(char *stats)
{
	hp_watch_set_quota(watch, strtoul(stats, NULL, 10));
	printf("ok\n");
}

static void memory(char *unused)
{
	struct rusage usage;

	(void)unused;
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
}

static void cpu(char *unused)
{
	struct timespec now;

	(void)unused;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("%ld\n", (long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

static const struct {
	const char *name;
	void (*obey)(char *argument);
} commands[] = {
	{ "read", read_again }, { "quota", quota },   { "picture", picture },
	{ "whole", whole },	{ "recent", recent }, { "calling", calling },
	{ "trend", trend },	{ "memory", memory }, { "cpu", cpu },
	{ "mark", mark },	{ "since", since },
};

int main(int argc, char **argv)
{
	char line[16384];

	if (hp_watch_open(&watch, argc > 1 ? argv[1] : NULL, &error)) {
		printf("%s\n", error.text);
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		size_t length = strcspn(line, " ");
		char *argument = line + length + (line[length] == ' ');
		line[length] = '\0';
		for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
			if (strcmp(commands[i].name, line) == 0)
				commands[i].obey(argument);
		fflush(stdout);
	}
	hp_model_free(marked);
	hp_watch_free(watch);
	return 0;
}
