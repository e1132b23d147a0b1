/* SPDX-License-Identifier: MIT */
/* A process is called by its executable first; what it calls itself is told where it is something else. */
#include "process_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(struct hp_process_name name, size_t most, const char *expected)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_process_put(&text, &name, most);
	assert_string_equal(text.bytes, expected);
	hp_text_free(&text);
}

static void tells_what_is_new(void **state)
{
	(void)state;
	assert_text((struct hp_process_name){ "nginx", "", NULL }, 0, "nginx");
	assert_text((struct hp_process_name){ "nginx", "-c a.conf", "/usr/sbin/nginx" }, 0,
		    "nginx -c a.conf");
	assert_text((struct hp_process_name){ "nginx", "-c a.conf", "nginx: worker process" }, 0,
		    "nginx -c a.conf [nginx: worker process]");
	assert_text((struct hp_process_name){ "dash", "", "sh" }, 0, "dash [sh]");
	assert_text((struct hp_process_name){ "a", "", "" }, 0, "a");
}

static void cuts_off_arguments(void **state)
{
	(void)state;
	assert_text((struct hp_process_name){ "cc1", "-quiet a.c", NULL }, 10, "cc1 -quiet a.c");
	assert_text((struct hp_process_name){ "cc1", "-quiet a.c", "b" }, 6, "cc1 -quiet… [b]");
	assert_text((struct hp_process_name){ "cc1", "-é", NULL }, 2, "cc1 -…");
}

static void cannot_command_the_terminal(void **state)
{
	(void)state;
	assert_text((struct hp_process_name){ "a\033", "b\n", "c\t" }, 0, "a? b? [c?]");
}

static void is_found_by_its_names(void **state)
{
	struct hp_process_name name = { "python3.11", "x.py", "/usr/bin/python3" };

	(void)state;
	assert_true(hp_process_is(&name, "python3.11"));
	assert_true(hp_process_is(&name, "python3"));
	assert_true(hp_process_is(&name, "/usr/bin/python3"));
	assert_false(hp_process_is(&name, "python"));
	assert_false(hp_process_is(&name, "x.py"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_is_new),
		cmocka_unit_test(cuts_off_arguments),
		cmocka_unit_test(cannot_command_the_terminal),
		cmocka_unit_test(is_found_by_its_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
