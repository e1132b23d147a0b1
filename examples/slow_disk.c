/* SPDX-License-Identifier: MIT */
/*
 * Orders that are written to a journal, with a call of fsync for each of them, and to a log in small pieces: nothing here knows
 * of hotpath.
 *
 *	hotpath run --waits build/examples/slow_disk
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDERS = 200 };

static char folder[] = "/tmp/slow_disk-XXXXXX";
static int journal, log_file;

static int make(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void put(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		perror("write");
}

/* The mistake: a disk needs milliseconds for each call. Several orders could share one. */
static void save_order(int number)
{
	char record[64];

	snprintf(record, sizeof(record), "order %d\n", number);
	put(journal, record);
	fsync(journal);
}

/* Another one: three calls for one line. */
static void log_order(int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	put(log_file, "order ");
	put(log_file, text);
	put(log_file, " taken\n");
}

/* A buffer makes few large calls of many small ones. */
static void print_summary(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/summary", folder);
	FILE *summary = fopen(path, "w");
	for (int i = 0; summary && i < 100 * ORDERS; i++)
		fprintf(summary, "order %d was saved\n", i % ORDERS);
	if (summary)
		fclose(summary);
}

static void clean_up(void)
{
	static const char *const names[] = { "journal", "log", "summary" };
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	journal = make("journal");
	log_file = make("log");
	for (int i = 0; i < ORDERS; i++) {
		save_order(i);
		log_order(i);
	}
	print_summary();
	clean_up();
	return 0;
}
