/* SPDX-License-Identifier: MIT */
/*
 * Whether the process that writes a segment is alive: the file itself proves it.
 *
 * The writer locks the file and maps a page of it through the same open file description, which it closes at once. The
 * mapping keeps that description, and so the lock, until the process has ended or executed another program, however
 * that happens. The page is not inherited by forked children. Any reader on the same kernel sees the lock, whatever
 * its PID namespace is, and whatever device numbers the file system shows.
 *
 * Stacked file systems (overlayfs) map another file than the one that is open, and the lock is lost when that is closed.
 * The header says so, and then the kernel's list of mappings is searched for the name of the file, which is possible
 * only in the same PID namespace. Where nothing is known, the process may be alive.
 */
#ifndef HP_LIFE_H
#define HP_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct hp_header;

/** Lock a new segment until this process ends. Returns whether that succeeded. */
bool hp_life_begin(int fd);

/** Whether some process holds the lock. */
bool hp_life_is_held(int fd);

/**
 * Whether a process writes to a segment, or may do so. Allocates nothing, takes no lock.
 *
 * @param fd
 *         The segment, open for reading.
 * @param name
 *         Its file name, without a folder.
 */
bool hp_life_goes_on(int fd, const char *name);

/**
 * The second half of hp_life_goes_on, for callers that read the header themselves: nobody holds the lock.
 *
 * @param header
 *         NULL if the file has no valid one.
 */
bool hp_life_goes_on_unlocked(const struct hp_header *header, const char *name);

/** Namespaces of this process, as numbers that tell them apart; 0 when not known. */
uint64_t hp_life_pid_namespace(void);
uint64_t hp_life_time_namespace(void);

/** A number that tells the boots of a machine apart; 0 when not known. */
void hp_life_boot(uint64_t id[2]);

/** Whether the process id in a header means the same process to this one. */
bool hp_life_knows_pid(const struct hp_header *header);

#endif
