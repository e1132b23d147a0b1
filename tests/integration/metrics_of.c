/* SPDX-License-Identifier: MIT */
/*
 * Prints the metrics of segments and saved reports.
 *
 * usage: metrics_of [-o | -p] [-l LIMIT] [-r] FILE...     -o: OpenMetrics; -p: protocol buffers; -r: the names of files are labels
 */
#include "metrics.h"
#include "reader.h"
#include "saved/saved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct hp_error error;

static struct hp_model *read_segment(const char *path)
{
	struct hp_image image;
	if (hp_image_read(path, HP_ANY_USER, &image, &error))
		return NULL;

	struct hp_model *model = hp_model_read(image.bytes, image.size, NULL, true, &error);
	hp_image_free(&image);
	return model;
}

static struct hp_model *read_saved(const char *path)
{
	struct hp_saved saved = { NULL };
	struct hp_text text = HP_TEXT_INIT;
	char bytes[4096];
	size_t length;
	FILE *file = fopen(path, "r");

	while (file && (length = fread(bytes, 1, sizeof(bytes), file)) > 0)
		hp_text_add(&text, bytes, length);
	if (file)
		fclose(file);
	if (hp_saved_read(text.bytes, text.length, &saved, &error))
		saved.model = NULL;
	hp_text_free(&text);
	return saved.model;
}

static struct hp_model *read_any(const char *path)
{
	size_t length = strlen(path);
	bool is_saved = length > 5 && strcmp(path + length - 5, ".json") == 0;
	struct hp_model *model = is_saved ? read_saved(path) : read_segment(path);

	if (!model) {
		fprintf(stderr, "%s: %s\n", path, error.text);
		exit(2);
	}
	return model;
}

static const char *print(char **paths, size_t count, bool labels_files,
			 const struct hp_metrics_options *options)
{
	struct hp_metrics_program *programs = calloc(count + 1, sizeof(*programs));
	struct hp_text text = HP_TEXT_INIT;

	if (!programs)
		return "out of memory";
	for (size_t i = 0; i < count; i++)
		programs[i] = (struct hp_metrics_program){ read_any(paths[i]),
							   labels_files ? paths[i] : NULL };
	hp_metrics_write(programs, count, options, &text);
	if (!text.failed)
		fwrite(text.bytes, 1, text.length, stdout);
	for (size_t i = 0; i < count; i++)
		hp_model_free((struct hp_model *)(uintptr_t)programs[i].model);
	free(programs);
	bool failed = text.failed;
	hp_text_free(&text);
	return failed ? "out of memory" : NULL;
}

int main(int argc, char **argv)
{
	struct hp_metrics_options options;
	bool labels_files = false;
	int letter;

	hp_metrics_options_init(&options);
	while ((letter = getopt(argc, argv, "opl:r")) != -1) {
		if (letter == 'o')
			options.format = HP_METRICS_OPEN;
		else if (letter == 'p')
			options.format = HP_METRICS_PROTOBUF;
		else if (letter == 'l')
			options.limit = strtoul(optarg, NULL, 10);
		else if (letter == 'r')
			labels_files = true;
		else
			return 2;
	}
	const char *problem = print(argv + optind, (size_t)(argc - optind), labels_files, &options);
	if (problem)
		fprintf(stderr, "%s\n", problem);
	return problem != NULL;
}
