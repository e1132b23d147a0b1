/* SPDX-License-Identifier: MIT */
/* Files without symbols are in one note, whichever processes lack them, with what would help for each. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Stands for the tool's search of packages; two of the files are of one package. */
static char *package_of(const char *path)
{
	if (strstr(path, "libpair"))
		return strdup("libpair1-dbgsym");
	return strstr(path, "gzip") ? strdup("gzip-dbgsym") : NULL;
}

static struct hp_model *model_with(const char *const *paths)
{
	struct hp_model *model = calloc(1, sizeof(*model));

	assert_non_null(model);
	hp_debug_package = package_of;
	for (; *paths; paths++)
		assert_true(hp_unnamed_add(model, *paths));
	return model;
}

static void assert_note(const char *const *paths, const char *note)
{
	struct hp_model *model = model_with(paths);

	assert_int_equal(model->note_count, 1);
	assert_string_equal(model->notes[0], note);
	hp_model_free(model);
}

static void what_would_help(void **state)
{
	(void)state;
	assert_note((const char *[]){ "/opt/tool/prog", NULL },
		    "no symbols for functions of prog: they are shown by address; build prog with "
		    "-g and do not strip it, or link it with -rdynamic");
	assert_note((const char *[]){ "/usr/bin/gzip", "/usr/bin/gzip", NULL },
		    "no symbols for functions of gzip: they are shown by address; install "
		    "gzip-dbgsym");
	assert_note((const char *[]){ "/usr/lib/x/libpair-a.so", "/usr/lib/x/libpair-b.so", NULL },
		    "no symbols for functions of libpair-a.so, libpair-b.so: they are shown by "
		    "address; install libpair1-dbgsym");
	assert_note((const char *[]){ "/usr/bin/other", NULL },
		    "no symbols for functions of other: they are shown by address; install the "
		    "debug symbols of other (package -dbgsym or -debuginfo)");
}

/* Files below /usr/local are built here, and nobody is asked for a package of them. */
static void all_kinds(void **state)
{
	(void)state;
	assert_note((const char *[]){ "/usr/local/bin/a", "/usr/bin/gzip", "/usr/bin/other",
				      "/opt/gzip", NULL },
		    "no symbols for functions of a, gzip, other: they are shown by address; "
		    "install gzip-dbgsym; install the debug symbols of other (package -dbgsym or "
		    "-debuginfo); build a, gzip with -g and do not strip them, or link them with "
		    "-rdynamic");
}

/* Servers are another way, for files of the system only, unless they were asked already. */
static void servers(void **state)
{
	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	assert_note((const char *[]){ "/usr/bin/gzip", "/a/prog", NULL },
		    "no symbols for functions of gzip, prog: they are shown by address; install "
		    "gzip-dbgsym, or set DEBUGINFOD_URLS; build prog with -g and do not strip it, "
		    "or link it with -rdynamic");
	assert_note((const char *[]){ "/a/prog", NULL },
		    "no symbols for functions of prog: they are shown by address; build prog with "
		    "-g and do not strip it, or link it with -rdynamic");
	setenv("DEBUGINFOD_URLS", "http://localhost", 1);
}

static void many_files(void **state)
{
	(void)state;
	assert_note((const char *[]){ "/a/1", "/a/2", "/a/3", "/a/4", "/a/5", "/a/6", "/a/7",
				      "/a/8", NULL },
		    "no symbols for functions of 1, 2, 3, 4, 5, 6 and 2 more: they are shown by "
		    "address; build 1, 2, 3, 4, 5, 6 and 2 more with -g and do not strip them, or "
		    "link them with -rdynamic");
}

/* The processes of a run have different files, and other notes before and after. */
static void merging(void **state)
{
	struct hp_model *sum = calloc(1, sizeof(*sum));
	struct hp_model *one = model_with((const char *[]){ "/usr/bin/gzip", NULL });
	struct hp_model *two = model_with((const char *[]){ "/usr/bin/gzip", "/a/prog", NULL });

	(void)state;
	assert_true(hp_model_note(one, "another"));
	assert_true(hp_model_note(two, "a third"));
	assert_int_equal(hp_model_merge(sum, one), 0);
	assert_int_equal(hp_model_merge(sum, two), 0);
	assert_int_equal(hp_model_merge(sum, one), 0);
	assert_int_equal(sum->note_count, 3);
	assert_string_equal(sum->notes[1], "another");
	assert_string_equal(sum->notes[0],
			    "no symbols for functions of gzip, prog: they are shown by address; "
			    "install gzip-dbgsym; build prog with -g and do not strip it, or link "
			    "it with -rdynamic");
	assert_string_equal(sum->notes[2], "a third");
	hp_model_free(sum);
	hp_model_free(one);
	hp_model_free(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_would_help), cmocka_unit_test(all_kinds),
		cmocka_unit_test(servers),	   cmocka_unit_test(many_files),
		cmocka_unit_test(merging),
	};

	setenv("DEBUGINFOD_URLS", "http://localhost", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
