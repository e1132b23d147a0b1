/* SPDX-License-Identifier: MIT */
/* The folders and file names of segments, for the writer and for readers. */
#ifndef HP_PLACE_H
#define HP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HP_PATH_MAX = 4096,
	/** An errno of our own, larger than any other: the folder is not to be trusted. */
	HP_PLACE_FOREIGN = 4096,
};

/** Which folders are trusted, for messages. */
#define HP_PLACE_RULE "it must belong to you, and nobody else may write to it"

/**
 * A folder that may hold segments: $HOTPATH_DIR and nothing else when it is set, or else
 * $XDG_RUNTIME_DIR/hotpath, /dev/shm/hotpath-UID and /tmp/hotpath-UID.
 *
 * @param nth
 *         0 for the first choice, and so on.
 * @return
 *         Whether there is an nth choice. A path longer than HP_PATH_MAX is passed over.
 */
bool hp_place_folder(unsigned nth, char folder[HP_PATH_MAX]);

/** The same without $HOTPATH_DIR, for a program that runs as another user than the one who set that. */
bool hp_place_default(unsigned nth, char folder[HP_PATH_MAX]);

/**
 * The folder of a user in memory or for temporary files, wherever else the user's segments are: /dev/shm/hotpath-UID, then
 * /tmp/hotpath-UID. Requests to programs that run are put there.
 */
bool hp_place_common(unsigned nth, uint32_t user, char folder[HP_PATH_MAX]);

/**
 * Open a folder of segments, if nobody but its owner can have put them there. Allocates nothing, takes no lock.
 *
 * @param user
 *         The user to whom it must belong.
 * @return
 *         A descriptor, or -1 with errno: ELOOP for a symbolic link, HP_PLACE_FOREIGN for a folder of somebody else, or
 *         to which others may write.
 */
int hp_place_open(const char *folder, uint32_t user);

/** The user whose default folder has this name, in /dev/shm or /tmp. Returns false for any other name. */
bool hp_place_user(const char *name, uint32_t *user);

/** Write "hotpath-PID-START.seg". Allocates nothing, takes no lock. */
void hp_place_name(char *name, size_t size, uint32_t pid, uint64_t start_unix_ns);

/** Write "hotpath-PID.ask", the name of a request to a process. Allocates nothing, takes no lock. */
void hp_place_request(char *name, size_t size, uint32_t pid);

/** Parse the name of a segment. Returns false for any other name. */
bool hp_place_parse(const char *name, uint32_t *pid, uint64_t *start_unix_ns);

/**
 * Write "hotpath-RUN.run", the register of a run, a file beside its segments. Allocates nothing, takes no lock.
 *
 * @return
 *         Whether the run is called as `hotpath run` calls it; it may come from anyone.
 */
bool hp_place_register(char *name, size_t size, const char *run);

/** The same for "hotpath-RUN.json": what the tool has made of segments of a run that it has removed. */
bool hp_place_folded(char *name, size_t size, const char *run);

/** The run whose register, or what was folded of it, has this name. Returns false for any other name. */
bool hp_place_run(const char *name, char *run, size_t size);

#endif
