/* SPDX-License-Identifier: MIT */
/*
 * Writes a segment in which functions are known by their addresses.
 *
 * usage: addresses SEGMENT PROGRAM ADDRESS...
 */
#include "../fuzz/made_segment.h"

#include <stdlib.h>

static struct made_segment made;

int main(int argc, char **argv)
{
	made_segment(&made);
	struct hp_module *module = made_module(&made, argc > 2 ? argv[2] : "", NULL);

	for (int i = 3; i < argc; i++)
		made_address(&made, module, strtoull(argv[i], NULL, 16));
	FILE *file = argc > 1 ? fopen(argv[1], "we") : NULL;
	if (!file || fwrite(made.bytes, 1, made.size, file) != made.size || fclose(file))
		return 1;
	return 0;
}
