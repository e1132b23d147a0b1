/* SPDX-License-Identifier: MIT */
/* Finds libhotpath-report.so: next to this library, or where the dynamic linker finds it. */
#include "place.h"
#include "process/platform.h"
#include "reporter.h"
#include "segment.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* It is loaded once, by one of the threads that start or stop recording. */
static struct {
	const struct hotpath__reporter *reporter;
	bool tried;
} loaded;

/* Whether it was built together with us; its file name only has the major version. */
static bool fits(const struct hotpath__reporter *reporter)
{
	return reporter && reporter->size == sizeof(*reporter) &&
	       strcmp(reporter->version, HOTPATH_VERSION) == 0;
}

static void *open_beside(void)
{
	char path[HP_PATH_MAX];
	Dl_info self;

	if (!dladdr(&loaded, &self) || !self.dli_fname)
		return NULL;
	const char *slash = strrchr(self.dli_fname, '/');
	size_t folder = slash ? (size_t)(slash - self.dli_fname) + 1 : 0;
	if (!folder || folder + sizeof(HOTPATH_REPORTER_FILE) > sizeof(path))
		return NULL;
	memcpy(path, self.dli_fname, folder);
	strcpy(path + folder, HOTPATH_REPORTER_FILE);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static const struct hotpath__reporter *load_reporter(void)
{
	void *library = open_beside();

	if (!library)
		library = dlopen(HOTPATH_REPORTER_FILE, RTLD_NOW | RTLD_LOCAL);
	const struct hotpath__reporter *reporter = library ? dlsym(library, HOTPATH_REPORTER_NAME)
							   : NULL;
	if (fits(reporter))
		return reporter;
	hotpath__warn(reporter ? HOTPATH_REPORTER_FILE " is of another version"
			       : "cannot load " HOTPATH_REPORTER_FILE,
		      ": this program prints no report at its end; `hotpath report` does", NULL);
	return NULL;
}

const struct hotpath__reporter *hotpath__find_reporter(void)
{
	int saved_errno = errno;

	if (!loaded.tried) {
		loaded.tried = true;
		loaded.reporter = load_reporter();
	}
	errno = saved_errno;
	return loaded.reporter;
}
