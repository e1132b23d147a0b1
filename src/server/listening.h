/* SPDX-License-Identifier: MIT */
/* The socket that a server listens on. */
#ifndef HP_LISTENING_H
#define HP_LISTENING_H

#include "access.h"
#include "reader.h"

/**
 * Listen on a TCP port.
 *
 * @param access
 *         Has the address and the port; whether it is a loopback address, and the port if that was 0, are filled in.
 * @return
 *         A descriptor that does not block, or a negative errno with one line in error.
 */
int hp_listen_port(struct hp_access *access, struct hp_error *error);

/**
 * Listen on a Unix socket that only this user can connect to. One that nobody listens on any more is replaced.
 *
 * @return
 *         As hp_listen_port.
 */
int hp_listen_socket(const char *path, struct hp_error *error);

#endif
