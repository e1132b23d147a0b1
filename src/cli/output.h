/* SPDX-License-Identifier: MIT */
/* Writes the tool's output: texts to a file or a descriptor, messages to standard error. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "report_options.h"
#include "text.h"

struct hp_error;

/**
 * Print "hotpath: …" as one line on standard error, whatever the arguments contain.
 *
 * @return
 *         STATUS_ERROR, for those who return it.
 */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Keep complaints rather than print them, for those who tell somebody else what is wrong.
 *
 * @param error
 *         Gets the last one, without "hotpath: "; NULL to print them again.
 */
void complaints_keep(struct hp_error *error);

/**
 * Write a whole text.
 *
 * @param path
 *         A file, which is replaced only when everything was written; "-" for standard output;
 *         NULL or empty for the descriptor.
 * @return
 *         STATUS_OK, or STATUS_ERROR after one line on standard error: none for a closed pipe.
 */
int output_write(const struct hp_text *text, const char *path, int descriptor);

/**
 * Write a whole text to a file, which is replaced only when everything was written. A device or a pipe is
 * written to.
 *
 * @return
 *         0, or a negative errno.
 */
int output_replace(const char *path, const struct hp_text *text);

/**
 * Check that a text can be written later, before the work that produces it. Writes nothing.
 *
 * @param path
 *         As for output_write.
 * @return
 *         STATUS_OK, or STATUS_ERROR after one line on standard error.
 */
int output_check(const char *path);

/** How many columns a terminal has; 0 when that is not known. */
unsigned output_width(int descriptor);

/** Choose colour and width by where the text will go. */
void output_fit(struct hp_report_options *options, const char *path, int descriptor);

#endif
