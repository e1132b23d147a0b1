/* SPDX-License-Identifier: MIT */
/* What the environment asks of the recorder. What it asks of the report is read by the report. */
#include "recorder.h"

#include "alloc_mode.h"

#include <stdlib.h>
#include <string.h>

static struct settings settings = {
	.tree = true, .alloc = HP_ALLOC_LIVE, .cpu_rate = 999, .logs_limit = 50
};

static bool parse_number(const char *text, unsigned max, unsigned *number)
{
	unsigned long value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (unsigned long)(*text - '0');
		if (value > max)
			return false;
	}
	*number = (unsigned)value;
	return true;
}

static bool set_switch(const char *text, bool *on)
{
	static const char *const yes[] = { "1", "true", "yes", "on" }, *const no[] = { "0", "false",
										       "no",
										       "off" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		bool is_yes = strcmp(text, yes[i]) == 0;
		if (is_yes || strcmp(text, no[i]) == 0) {
			*on = is_yes;
			return true;
		}
	}
	return false;
}

static bool set_off(const char *text)
{
	return set_switch(text, &settings.off);
}

static bool set_tree(const char *text)
{
	return set_switch(text, &settings.tree);
}

static bool set_alloc(const char *text)
{
	bool on;

	if (hp_alloc_mode_find(text, &settings.alloc))
		return true;
	if (!set_switch(text, &on))
		return false;
	settings.alloc = on ? HP_ALLOC_LIVE : HP_ALLOC_NONE;
	return true;
}

static bool set_cpu(const char *text)
{
	bool on;

	if (!set_switch(text, &on))
		return false;
	settings.cpu = on ? CPU_ON : CPU_OFF;
	return true;
}

static bool set_cpu_rate(const char *text)
{
	unsigned rate;

	if (!parse_number(text, CPU_RATE_MAX, &rate) || !rate)
		return false;
	settings.cpu_rate = rate;
	return true;
}

static bool set_cpu_source(const char *text)
{
	settings.cpu_source = strcmp(text, "timer") == 0 ? HP_CPU_TIMER : HP_CPU_PERF;
	return settings.cpu_source == HP_CPU_TIMER || strcmp(text, "perf") == 0;
}

static bool set_clock(const char *text)
{
	settings.monotonic = strcmp(text, "monotonic") == 0;
	return settings.monotonic || strcmp(text, "counter") == 0;
}

static bool set_logs_limit(const char *text)
{
	return parse_number(text, HP_RING, &settings.logs_limit);
}

static bool set_shutdown_ms(const char *text)
{
	return parse_number(text, UINT32_MAX, &settings.shutdown_ms);
}

static bool set_run(const char *text)
{
	strncpy(settings.run, text, sizeof(settings.run) - 1);
	return true;
}

static const struct {
	const char *variable;
	bool (*set)(const char *text);
	const char *accepts;
} variables[] = {
	{ "HOTPATH_OFF", set_off, "1 or 0" },
	{ "HOTPATH_TREE", set_tree, "1 or 0" },
	{ "HOTPATH_ALLOC", set_alloc, "live, freed, count or off" },
	{ "HOTPATH_CPU", set_cpu, "1 or 0" },
	{ "HOTPATH_CPU_RATE", set_cpu_rate, "a number from 1 to 10000" },
	{ "HOTPATH_CPU_SOURCE", set_cpu_source, "perf or timer" },
	{ "HOTPATH_CLOCK", set_clock, "counter or monotonic" },
	{ "HOTPATH_LOGS_LIMIT", set_logs_limit, "a number from 0 to 128" },
	{ "HOTPATH_SHUTDOWN_MS", set_shutdown_ms, "a number of milliseconds" },
	{ "HOTPATH_RUN", set_run, "" },
};

/* One line, whatever the value is. */
static void complain(const char *variable, const char *text, const char *accepts)
{
	char shown[41] = "";

	for (size_t i = 0; i < sizeof(shown) - 1 && text[i]; i++)
		shown[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
	hotpath__warn(variable, ": '", shown, "' is not ", accepts, "; the default is used", NULL);
}

void hotpath__settings_no_rounding(void)
{
	if (settings.alloc == HP_ALLOC_FREED)
		settings.alloc = HP_ALLOC_COUNT;
}

const struct settings *hotpath__settings(void)
{
	static bool known;

	if (known)
		return &settings;
	known = true;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *text = secure_getenv(variables[i].variable);
		if (text && *text && !variables[i].set(text))
			complain(variables[i].variable, text, variables[i].accepts);
	}
	return &settings;
}
