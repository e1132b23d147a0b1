/* SPDX-License-Identifier: MIT */
/* A net under files that libraries map for us, and that others may cut short meanwhile. */
#ifndef BUS_NET_H
#define BUS_NET_H

/**
 * From now on, zeros are behind the end of every mapped file that has become shorter, where reading would end us by
 * SIGBUS. What we read ourselves is not mapped, or has a handler of its own, which knows that it was cut.
 */
void bus_net_spread(void);

#endif
