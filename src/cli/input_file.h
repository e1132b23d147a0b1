/* SPDX-License-Identifier: MIT */
/* Reads an untrusted file or pipe into a text. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include "text.h"

/**
 * Read the rest of a file or a pipe.
 *
 * @return
 *         0, or a negative errno: -EFBIG when there is more than so much. The text is to be freed either way.
 */
int input_read(int file, size_t most, struct hp_text *text);

#endif
