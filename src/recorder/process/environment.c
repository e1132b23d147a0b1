/* SPDX-License-Identifier: MIT */
/* The recorder's environment variables. Those for the report are read by the report. */
#include "settings.h"

#include "alloc_mode.h"
#include "calls/logged.h"
#include "platform.h"
#include "waits_mode.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static struct settings settings = {
	.tree = true,
	.alloc = HP_ALLOC_LIVE,
	.cpu_rate = 999,
	.waits = HP_WAITS_ALL,
	.max_overhead = 10,
	.logs_limit = 50,
	.entries_limit = 1000,
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
	static const char yes[][5] = { "1", "true", "yes", "on" },
			  no[][6] = { "0", "false", "no", "off" };

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

static bool set_waits(const char *text)
{
	bool on;

	if (!set_switch(text, &on))
		return hp_waits_parse(text, &settings.waits);
	settings.waits = on ? HP_WAITS_ALL : 0;
	return true;
}

static bool set_clock(const char *text)
{
	settings.monotonic = strcmp(text, "monotonic") == 0;
	return settings.monotonic || strcmp(text, "counter") == 0;
}

static bool set_max_overhead(const char *text)
{
	return parse_number(text, 100, &settings.max_overhead);
}

static bool set_logs_limit(const char *text)
{
	return parse_number(text, HP_RING, &settings.logs_limit);
}

static bool set_max_log_len(const char *text)
{
	unsigned length;

	if (!parse_number(text, HP_LONG_TEXT_MAX - 1, &length) || length < LOG_LEN_MIN)
		return false;
	settings.max_log_len = length;
	return true;
}

static bool set_entries_limit(const char *text)
{
	return parse_number(text, HP_SITES_MAX, &settings.entries_limit);
}

static bool set_shutdown_ms(const char *text)
{
	return parse_number(text, UINT32_MAX, &settings.shutdown_ms);
}

/* A list of pairs, none without a key. */
static bool set_user_metadata(const char *text)
{
	settings.has_metadata = strlen(text) < HP_PATH_MAX;
	for (; settings.has_metadata; text++) {
		size_t length = strcspn(text, ","), key = strcspn(text, "=");
		settings.has_metadata = key && key < length;
		text += length;
		if (!*text)
			break;
	}
	return settings.has_metadata;
}

static bool set_run(const char *text)
{
	strncpy(settings.run, text, sizeof(settings.run) - 1);
	return true;
}

/* Arrays, not pointers to strings: pointers would have to be relocated in every program that loads the library. */
static const struct {
	bool (*set)(const char *text);
	char variable[24];
	char accepts[36];
} variables[] = {
	{ set_off, "HOTPATH_OFF", "1 or 0" },
	{ set_tree, "HOTPATH_TREE", "1 or 0" },
	{ set_alloc, "HOTPATH_ALLOC", "live, freed, count or off" },
	{ set_cpu, "HOTPATH_CPU", "1 or 0" },
	{ set_cpu_rate, "HOTPATH_CPU_RATE", "a number from 1 to 10000" },
	{ set_cpu_source, "HOTPATH_CPU_SOURCE", "perf or timer" },
	{ set_waits, "HOTPATH_WAITS", "1, 0, " HP_WAITS_NAMES },
	{ set_clock, "HOTPATH_CLOCK", "counter or monotonic" },
	{ set_max_overhead, "HOTPATH_MAX_OVERHEAD", "a whole number from 0 to 100" },
	{ set_logs_limit, "HOTPATH_LOGS_LIMIT", "a number from 0 to 64" },
	{ set_max_log_len, "HOTPATH_MAX_LOG_LEN", "a number from 16 to 2047" },
	{ set_entries_limit, "HOTPATH_ENTRIES_LIMIT", "a number" },
	{ set_shutdown_ms, "HOTPATH_SHUTDOWN_MS", "a number of milliseconds" },
	{ set_user_metadata, "HOTPATH_USER_METADATA", "a list such as k=v,k=v" },
	{ set_run, "HOTPATH_RUN", "" },
};

enum { VARIABLES = sizeof(variables) / sizeof(*variables) };

/* Print one line, with other characters than printable ASCII replaced. */
static void complain(const char *variable, const char *text, const char *accepts)
{
	char shown[41] = "";

	for (size_t i = 0; i < sizeof(shown) - 1 && text[i]; i++) {
		shown[i] = text[i];
		if (text[i] < ' ' || text[i] > '~')
			shown[i] = '?';
	}
	hotpath__warn(variable, ": '", shown, "' is not ", accepts, "; the default is used", NULL);
}

void hotpath__settings_no_rounding(void)
{
	if (settings.alloc == HP_ALLOC_FREED)
		settings.alloc = HP_ALLOC_COUNT;
}

/* Take the text of a variable of ours. Like getenv, take the first of two with the same name. */
static void take_variable(const char *entry, const char *texts[VARIABLES])
{
	size_t length = strcspn(entry, "=");

	for (size_t i = 0; i < VARIABLES; i++)
		if (!texts[i] && entry[length] && strlen(variables[i].variable) == length &&
		    memcmp(variables[i].variable, entry, length) == 0)
			texts[i] = entry + length + 1;
}

/* Find all variables in one pass, because every program that loads the library does this. */
static void find_variables(const char *texts[VARIABLES])
{
	static const char prefix[] = "HOTPATH_";
	/* NULL if it is not set up yet. It is not to be trusted if the program has more rights than its user. */
	char **entry = getauxval(AT_SECURE) ? NULL : environ;

	for (; entry && *entry; entry++)
		if (**entry == prefix[0] && strncmp(*entry, prefix, sizeof(prefix) - 1) == 0)
			take_variable(*entry, texts);
}

static void read_settings(void)
{
	const char *texts[VARIABLES] = { NULL };

	find_variables(texts);
	for (size_t i = 0; i < VARIABLES; i++)
		if (texts[i] && *texts[i] && !variables[i].set(texts[i]))
			complain(variables[i].variable, texts[i], variables[i].accepts);
}

const struct settings *hotpath__settings(void)
{
	static bool known;

	if (!known) {
		known = true;
		read_settings();
	}
	return &settings;
}
