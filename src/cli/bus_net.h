/* SPDX-License-Identifier: MIT */
/* A safety net for files that libraries map for us: they may be truncated while they are read. */
#ifndef BUS_NET_H
#define BUS_NET_H

/**
 * From now on, reading beyond the end of a mapped file that was truncated gives zeros instead of a fatal SIGBUS.
 * Files that we read ourselves are not mapped, or have their own handler, which notices the truncation.
 */
void bus_net_spread(void);

#endif
