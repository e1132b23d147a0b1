/* SPDX-License-Identifier: MIT */
/*
 * Makes what fuzzing begins with: a small measured program, and a reader that saves what it measured.
 *
 *	seed run          leaves a segment
 *	seed made FILE    writes one that was made by hand, with allocations and samples
 *	seed save FILE    prints the saved report of a segment
 */
#include "hotpath.h"

#include "made_flows.h"
#include "reader.h"
#include "report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int recursive(int depth)
{
	HOTPATH_MEASURE();
	if (depth)
		return recursive(depth - 1) + 1;
	HOTPATH_RETURN(depth);
}

static const char *text(void)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN("logged");
}

static void *thread(void *unused)
{
	struct hotpath_span span;

	HOTPATH_SPAN_BEGIN(span, "operation");
	HOTPATH_THREAD_NAME("second");
	recursive(3);
	HOTPATH_SPAN_END(span);
	return unused;
}

static int run(void)
{
	HOTPATH_MAIN();
	pthread_t second;

	for (int i = 0; i < 70; i++)
		recursive(i % 3);
	text();
	HOTPATH_BLOCK("block", { usleep(10); });
	if (pthread_create(&second, NULL, thread, NULL) == 0)
		pthread_join(second, NULL);
	/* In the midst of a call, so that something is in progress. */
	HOTPATH_MEASURE_AS("unfinished");
	_exit(0);
}

static int save(const char *path)
{
	struct hp_report_options options;
	struct hp_text text_of = HP_TEXT_INIT;
	struct hp_error error = { "" };
	struct hp_image image;

	if (hp_image_read(path, HP_ANY_USER, &image, &error))
		return 1;
	struct hp_model *model = hp_model_read(image.bytes, image.size, NULL, true, &error);
	if (!model)
		return 1;
	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	hp_report_write(model, &options, &text_of);
	fputs(text_of.bytes, stdout);
	hp_text_free(&text_of);
	hp_model_free(model);
	hp_image_free(&image);
	return 0;
}

static int write_made(const char *path)
{
	static struct made_segment made;
	FILE *file = fopen(path, "we");

	made_segment(&made);
	made_allocations(&made);
	made_samples(&made);
	made_ended(&made);
	made_ended_names(&made);
	made_flows(&made);
	if (!file)
		return 1;
	fwrite(made.bytes, 1, made.size, file);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "save") == 0)
		return save(argv[2]);
	if (argc == 3 && strcmp(argv[1], "made") == 0)
		return write_made(argv[2]);
	return run();
}
