/* SPDX-License-Identifier: MIT */
/*
 * Async I/O: writes five files of 20 MB at the same time, in pieces of 8 KB, and reads them back.
 *
 * Each file takes nearly as long as all of them, so together they take several times the time of main.
 */
#include "async_files.h"

static void work(void)
{
	async_for_all(create_file);
	async_for_all(read_file);
}

int main(void)
{
	async_begin();
	{
		HOTPATH_MAIN();

		OWN_CLOCK("main", work());
	}
	async_end();
	return 0;
}
