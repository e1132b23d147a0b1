/* SPDX-License-Identifier: MIT */
/* What is told of the machine. */
#include "model.h"
#include "process/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

static const struct {
	const char *cpuinfo;
	const char *name;
} named[] = {
	{ "", "" },
	{ "processor\t: 0\n", "" },
	{ "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\nmodel name\t: other\n",
	  "Intel(R) Xeon(R) CPU @ 2.20GHz" },
	{ "model name without a colon\nmodel name\t:\n", "" },
	{ "model name : last", "last" },
	{ "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "Neoverse-N1" },
	{ "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n", "Neoverse-V2" },
	{ "CPU implementer\t: 0x41\nCPU part\t: 0x999\n", "ARM 0x41 part 0x999" },
	{ "CPU implementer\t: 0x61\nCPU part\t: 0x022\n", "Apple 0x61 part 0x22" },
	{ "CPU implementer\t: 0x7f\nCPU part\t: 0x1\n", "processor 0x7f part 0x1" },
	{ "CPU implementer\t: 0x41\n", "" },
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		char name[96] = "?";
		hp_machine_name_cpu(named[i].cpuinfo, name, sizeof(name));
		assert_string_equal(name, named[i].name);
	}
}

static void cuts_names(void **state)
{
	char name[8];

	(void)state;
	hp_machine_name_cpu("model name: a very long name", name, sizeof(name));
	assert_string_equal(name, "a very ");
}

static void reads(void **state)
{
	struct hp_machine machine;
	struct utsname names;

	(void)state;
	hp_machine_read(&machine);
	assert_int_equal(uname(&names), 0);
	assert_int_equal(strncmp(machine.kernel, names.release, sizeof(machine.kernel) - 1), 0);
	assert_int_equal(strncmp(machine.arch, names.machine, sizeof(machine.arch) - 1), 0);
	assert_true(machine.cores >= 1);
}

/* Of models that become one, that of the first stays; a model of zeros takes it over. */
static void merges(void **state)
{
	struct hp_model first = { .processes = 1, .machine = { .arch = "first" } };
	struct hp_model second = { .processes = 1, .machine = { .arch = "second" } };
	struct hp_model *both = calloc(1, sizeof(*both));

	(void)state;
	assert_int_equal(hp_model_merge(both, &first), 0);
	assert_int_equal(hp_model_merge(both, &second), 0);
	assert_string_equal(both->machine.arch, "first");
	hp_model_free(both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(cuts_names),
		cmocka_unit_test(reads),
		cmocka_unit_test(merges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
