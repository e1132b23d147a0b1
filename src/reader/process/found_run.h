/* SPDX-License-Identifier: MIT */
/* The runs that segments belong to: which are of the same one, and which process it began with. */
#ifndef HP_FOUND_RUN_H
#define HP_FOUND_RUN_H

#include "reader.h"

/** Whether two segments are of one run. Segments without a run are not. */
bool hp_found_same_run(const struct hp_found *one, const struct hp_found *other);

/** Where the newest segment of the same run is in a list; of a segment without a run, its own place. */
size_t hp_found_newest(const struct hp_found_list *list, size_t at);

/** The process that the run of a segment began with, as far as segments are left; without a run, the segment itself. */
const struct hp_found *hp_found_root(const struct hp_found_list *list,
				     const struct hp_found *found);

/** Whether the run began with this process. */
bool hp_found_is_root(const struct hp_found_list *list, const struct hp_found *found);

/** Whether there are other segments of the same run. */
bool hp_found_has_others(const struct hp_found_list *list, const struct hp_found *found);

/** Whether two starts of processes with one number are of one process, found out at different times. */
bool hp_found_is_start(uint64_t one_unix_ns, uint64_t other_unix_ns);

/** Whether two segments are of one process of a run, which has executed one program in place of another. */
bool hp_found_same_process(const struct hp_found *one, const struct hp_found *other);

/** Whether the list, newest first, has a newer segment of the same process; and whether it has an older one. */
bool hp_found_is_replaced(const struct hp_found_list *list, size_t at);
bool hp_found_has_replaced(const struct hp_found_list *list, size_t at);

/** How many processes of the same run have segments. One that has executed several programs counts once. */
size_t hp_found_processes(const struct hp_found_list *list, const struct hp_found *found);

/** Whether a process of the same run is running. */
bool hp_found_run_is_live(const struct hp_found_list *list, const struct hp_found *found);

/** The newest segment of a run by the run's name; NULL when there is none. */
const struct hp_found *hp_found_run(const struct hp_found_list *list, const char *run);

#endif
