/* SPDX-License-Identifier: MIT */
/*
 * Fetches debug files from the servers that DEBUGINFOD_URLS names, by libdebuginfod.
 *
 * The library is loaded when the first file is wanted. A fetched file stays in its cache, where it is found without the
 * library and without the variable: so only the first report waits for a server. If a server does not answer, or the user
 * interrupts, nothing more is fetched: this costs one time-out, not one for each file.
 */
#include "debuginfod.h"

#include "debuginfod_line.h"
#include "file_name.h"
#include "interrupt.h"
#include "late.h"
#include "names/debug_file.h"
#include "now.h"
#include "reader.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* Seconds without progress after which a server is given up; DEBUGINFOD_TIMEOUT says otherwise. */
	PATIENCE = 10,
	ID_MAX = 64,
	/* Files that no server has. */
	UNKNOWN_MAX = 64,
	/* The number of the folder that early versions of the client used. */
	OLD_CACHE = 3,
};

/* ---- the library ---- */

/* The interface of libdebuginfod has not changed since its first version; its header need not be installed. */
typedef struct debuginfod_client client_t;
typedef int progress_function(client_t *client, long done, long total);

static struct {
	client_t *(*begin)(void);
	void (*end)(client_t *client);
	int (*find_debuginfo)(client_t *client, const unsigned char *id, int size, char **path);
	void (*set_progressfn)(client_t *client, progress_function *progress);
} library;

static bool load(void)
{
	static const struct hp_late_symbol symbols[] = {
		{ "debuginfod_begin", &library.begin },
		{ "debuginfod_end", &library.end },
		{ "debuginfod_find_debuginfo", &library.find_debuginfo },
		{ "debuginfod_set_progressfn", &library.set_progressfn },
	};

	return hp_late_load("libdebuginfod.so.1", symbols, sizeof(symbols) / sizeof(*symbols));
}

bool debuginfod_is_there(void)
{
	static bool tried, loaded;

	if (!tried)
		loaded = load();
	tried = true;
	return loaded;
}

/* ---- what was fetched before ---- */

struct build_id {
	unsigned char bytes[ID_MAX];
	size_t size;
};

/* The client uses the first of these folders that its variables name. */
static bool cache_folder(unsigned nth, char folder[HP_PATH_MAX])
{
	static const struct {
		const char *variable;
		const char *inside;
	} folders[] = {
		{ "DEBUGINFOD_CACHE_PATH", "" },
		{ "XDG_CACHE_HOME", "/debuginfod_client" },
		{ "HOME", "/.cache/debuginfod_client" },
		[OLD_CACHE] = { "HOME", "/.debuginfod_client_cache" },
	};

	folder[0] = '\0';
	if (nth >= sizeof(folders) / sizeof(*folders))
		return false;
	const char *value = getenv(folders[nth].variable);
	if (value && value[0] == '/')
		snprintf(folder, HP_PATH_MAX, "%s%s", value, folders[nth].inside);
	return true;
}

static bool find_cached(const unsigned char *id, size_t size, char found[HP_PATH_MAX])
{
	char folder[HP_PATH_MAX], name[2 * ID_MAX + 1] = "";

	if (size > ID_MAX)
		return false;
	for (size_t i = 0; i < size; i++)
		snprintf(name + 2 * i, 3, "%02x", id[i]);
	for (unsigned nth = 0; cache_folder(nth, folder); nth++) {
		int length = snprintf(found, HP_PATH_MAX, "%s/%s/debuginfo", folder, name);
		if (folder[0] && length < HP_PATH_MAX && access(found, R_OK) == 0)
			return true;
	}
	return false;
}

/* Whether the client has a folder to write to: the first that is named, or the old one, which it makes no more. */
static bool has_cache(void)
{
	char folder[HP_PATH_MAX];
	unsigned nth = 0;

	while (cache_folder(nth, folder) && !folder[0])
		nth++;
	if (access(folder, W_OK) == 0)
		return true;
	return cache_folder(OLD_CACHE, folder) && access(folder, W_OK) == 0;
}

/* ---- one fetch ---- */

static bool is_wanted;
/* Why nothing more is fetched; NULL while something is. */
static const char *problem;
static volatile sig_atomic_t is_interrupted;

/* The fetch that is under way. */
static struct {
	const char *name;
	long done;
	uint64_t since_ns;
	uint64_t patience_ns;
	bool is_late;
} fetch;

/* Progress callback: before a server answers, the library counts its turns in place of bytes. */
static int watch_progress(client_t *client, long done, long total)
{
	uint64_t now = hp_now_ns();

	(void)client;
	if (done > fetch.done + 1)
		fetch.since_ns = now;
	fetch.done = done;
	debuginfod_line_show(fetch.name, total > 0 ? done : 0, total);
	fetch.is_late = now - fetch.since_ns > fetch.patience_ns;
	return is_interrupted || fetch.is_late;
}

static void interrupt(int number)
{
	is_interrupted = number;
}

static uint64_t patience_ns(void)
{
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	long seconds = text ? strtol(text, NULL, 10) : 0;

	return (uint64_t)(seconds > 0 ? seconds : PATIENCE) * UINT64_C(1000000000);
}

/* The first SIGINT ends the fetch, a second one the tool. */
static int ask(const char *path, const unsigned char *id, size_t size, char **fetched)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND },
			 before;
	client_t *client = library.begin();
	if (!client)
		return -ENOMEM;

	fetch.name = hp_file_name(path);
	fetch.done = 0;
	fetch.since_ns = hp_now_ns();
	fetch.patience_ns = patience_ns();
	fetch.is_late = false;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
	library.set_progressfn(client, watch_progress);
	int file = library.find_debuginfo(client, id, (int)size, fetched);
	library.end(client);
	sigaction(SIGINT, &before, NULL);
	interrupt_note(is_interrupted);
	debuginfod_line_remove();
	return file;
}

/* ---- all of them ---- */

/* The processes of a run ask for the same files again. */
static bool is_unknown(const unsigned char *id, size_t size, bool remember)
{
	static struct build_id unknown[UNKNOWN_MAX];
	static size_t count;

	for (size_t i = 0; i < UNKNOWN_MAX && i < count; i++)
		if (unknown[i].size == size && memcmp(unknown[i].bytes, id, size) == 0)
			return true;
	if (remember) {
		struct build_id *next = &unknown[count++ % UNKNOWN_MAX];
		memcpy(next->bytes, id, size);
		next->size = size;
	}
	return false;
}

static const char *problem_of(int error)
{
	static char text[128];

	if (is_interrupted)
		return "interrupted";
	if (fetch.is_late || error == -ETIME || error == -ETIMEDOUT)
		return "no answer in time";
	/* ENOENT means that no server knows the file, or that there is no folder for the cache. */
	if (error == -ENOENT)
		return has_cache() ? NULL
				   : "there is no folder for its cache; set DEBUGINFOD_CACHE_PATH";
	snprintf(text, sizeof(text), "%s", strerror(-error));
	return text;
}

static bool can_fetch(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!is_wanted || problem || !urls || !urls[strspn(urls, " ")])
		return false;
	if (!debuginfod_is_there())
		problem = "libdebuginfod.so.1 is not installed";
	return !problem;
}

static bool fetch_file(const char *path, const unsigned char *id, size_t size,
		       char found[HP_PATH_MAX])
{
	char *fetched = NULL;
	if (size == 0 || size > ID_MAX || !can_fetch() || is_unknown(id, size, false))
		return false;

	int file = ask(path, id, size, &fetched);
	bool done = file >= 0 && fetched && strlen(fetched) < HP_PATH_MAX;
	if (done)
		snprintf(found, HP_PATH_MAX, "%s", fetched);
	if (file >= 0)
		close(file);
	else
		problem = problem_of(file);
	if (!done)
		is_unknown(id, size, true);
	free(fetched);
	return done;
}

void debuginfod_use(void)
{
	static const struct hp_debug_source source = { find_cached, fetch_file };

	hp_debug_source = &source;
}

void debuginfod_fetch(void)
{
	is_wanted = true;
}

bool debuginfod_note(struct hp_model *model)
{
	return !problem || hp_model_note(model,
					 "debug information was not fetched from DEBUGINFOD_URLS: "
					 "%s",
					 problem);
}
