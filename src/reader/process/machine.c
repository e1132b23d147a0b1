/* SPDX-License-Identifier: MIT */
/* The machine that we are on: what the kernel calls it, and its processor. */
#include "machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum {
	/* Only the first processor of /proc/cpuinfo is read; the others are the same, or do not matter. */
	CPUINFO_SIZE = 8192,
	/* More than any machine has. */
	CORES_MAX = 1 << 16,
};

/* ARM processors are identified by two numbers: implementer and part. */
static const struct {
	unsigned maker;
	unsigned part;
	const char *name;
} processors[] = {
	{ 0x41, 0xd03, "Cortex-A53" },	{ 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },	{ 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse-N1" }, { 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd40, "Neoverse-V1" }, { 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },	{ 0x41, 0xd49, "Neoverse-N2" },
	{ 0x41, 0xd4a, "Neoverse-E1" }, { 0x41, 0xd4f, "Neoverse-V2" },
	{ 0x41, 0xd84, "Neoverse-V3" }, { 0x41, 0xd8e, "Neoverse-N3" },
	{ 0xc0, 0xac3, "Ampere-1" },	{ 0xc0, 0xac4, "Ampere-1a" },
};

static const struct {
	unsigned maker;
	const char *name;
} makers[] = {
	{ 0x41, "ARM" },      { 0x42, "Broadcom" },  { 0x43, "Cavium" },
	{ 0x46, "Fujitsu" },  { 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },
	{ 0x51, "Qualcomm" }, { 0x61, "Apple" },     { 0xc0, "Ampere" },
};

/* The value after "key :" on a line of its own; its length is 0 if there is none. */
static const char *find_value(const char *cpuinfo, const char *key, size_t *length)
{
	for (const char *line = cpuinfo; *line; line += *line == '\n') {
		const char *end = strchrnul(line, '\n');
		size_t named = strlen(key);
		if (strncmp(line, key, named) == 0 &&
		    line[named + strspn(line + named, " \t")] == ':') {
			const char *value = strchr(line, ':') + 1;
			value += strspn(value, " \t");
			*length = value < end ? (size_t)(end - value) : 0;
			return value;
		}
		line = end;
	}
	*length = 0;
	return "";
}

static const char *find_maker(unsigned maker)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (makers[i].maker == maker)
			return makers[i].name;
	return "processor";
}

static void name_by_numbers(unsigned maker, unsigned part, char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(processors) / sizeof(*processors); i++) {
		if (processors[i].maker == maker && processors[i].part == part) {
			snprintf(name, size, "%s", processors[i].name);
			return;
		}
	}
	snprintf(name, size, "%s 0x%x part 0x%x", find_maker(maker), maker, part);
}

void hp_machine_name_cpu(const char *cpuinfo, char *name, size_t size)
{
	size_t length, maker_length, part_length;
	const char *model = find_value(cpuinfo, "model name", &length);
	const char *maker = find_value(cpuinfo, "CPU implementer", &maker_length);
	const char *part = find_value(cpuinfo, "CPU part", &part_length);

	if (length == 0 && maker_length && part_length)
		name_by_numbers((unsigned)strtoul(maker, NULL, 0), (unsigned)strtoul(part, NULL, 0),
				name, size);
	else
		snprintf(name, size, "%.*s", (int)length, model);
}

static void read_cpu(char *name, size_t size)
{
	char text[CPUINFO_SIZE] = "";
	FILE *file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return;

	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	hp_machine_name_cpu(text, name, size);
}

/* The kernel refuses a set that is smaller than its own. */
static uint32_t count_cores(void)
{
	for (int room = CPU_SETSIZE; room <= CORES_MAX; room *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)room);
		size_t size = CPU_ALLOC_SIZE((size_t)room);
		bool known = set && sched_getaffinity(0, size, set) == 0;
		uint32_t count = known ? (uint32_t)CPU_COUNT_S(size, set) : 0;
		CPU_FREE(set);
		if (known)
			return count;
	}
	return 0;
}

void hp_machine_read(struct hp_machine *machine)
{
	struct utsname names;

	*machine = (struct hp_machine){ .cores = count_cores() };
	if (uname(&names) == 0) {
		snprintf(machine->arch, sizeof(machine->arch), "%.*s",
			 (int)sizeof(machine->arch) - 1, names.machine);
		snprintf(machine->kernel, sizeof(machine->kernel), "%.*s",
			 (int)sizeof(machine->kernel) - 1, names.release);
	}
	read_cpu(machine->cpu, sizeof(machine->cpu));
}
