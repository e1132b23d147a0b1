/* SPDX-License-Identifier: MIT */
/*
 * The same again and again, for the console: writes and reads five files on one loop, for a minute or as many seconds
 * as it is told. Among its threads are those that libuv has for files.
 */
#include "async_files.h"

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 60;
	uint64_t start = own_clock_now();

	async_begin();
	do {
		async_for_all(create_file);
		async_for_all(read_file);
	} while (own_clock_now() - start < seconds * 1000000000);
	async_end();
	return 0;
}
