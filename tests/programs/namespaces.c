/* SPDX-License-Identifier: MIT */
/*
 * Loads a measured library several times, each time with all that it needs into a namespace of its own: copies of the
 * recorder that know nothing of each other.
 *
 * usage: namespaces LIBRARY
 */
#include <hotpath.h>

#include <dlfcn.h>
#include <err.h>
#include <string.h>
#include <time.h>

enum {
	COPIES = 3,
	CALLS = 70,
	COMPUTE_NS = 100000000,
};

__attribute__((noinline)) static void compute(void)
{
	HOTPATH_MEASURE();
	struct timespec used;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (used.tv_sec == 0 && used.tv_nsec < COMPUTE_NS);
}

static void use_copy(const char *path)
{
	void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	void *symbol = library ? dlsym(library, "plugin_work") : NULL;
	void (*work)(void);

	if (!symbol)
		errx(77, "%s", dlerror());
	memcpy(&work, &symbol, sizeof(symbol));
	for (int i = 0; i < CALLS; i++)
		work();
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	if (argc < 2)
		return 1;
	for (int i = 0; i < COPIES; i++)
		use_copy(argv[1]);
	compute();
	return 0;
}
