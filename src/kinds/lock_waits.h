/* SPDX-License-Identifier: MIT */
/* Rows of the kind `lock_waits`, for those who add them up. */
#ifndef HP_LOCK_WAITS_H
#define HP_LOCK_WAITS_H

/** The texts of a row: the function that held the lock, and the lock. */
enum { HP_LOCK_WAIT_HOLDER, HP_LOCK_WAIT_LOCK };

/** The words of a row: how often a try failed, or the time of a wait was over. */
enum { HP_LOCK_WAIT_REFUSED };

#endif
