/* SPDX-License-Identifier: MIT */
/* The line on a terminal that says which debug file is being fetched. */
#ifndef DEBUGINFOD_LINE_H
#define DEBUGINFOD_LINE_H

/**
 * Draw the line, or draw it anew; nothing if standard error is no terminal.
 *
 * @param total
 *         Bytes; 0 if it is not known.
 */
void debuginfod_line_show(const char *name, long done, long total);

/** Take the line away. */
void debuginfod_line_remove(void);

#endif
