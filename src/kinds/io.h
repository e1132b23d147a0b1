/* SPDX-License-Identifier: MIT */
/* Rows of input and output: their texts. */
#ifndef HP_KIND_IO_H
#define HP_KIND_IO_H

#include "kind.h"

#include <stdint.h>

/** The texts of an entry; its name is the function. */
enum hp_io_text {
	/** The file, the peer, or what else it is. */
	HP_IO_TARGET,
	/** What was done: "read". */
	HP_IO_OPERATION,
	/** Where: one of the words below. */
	HP_IO_MEDIUM,
};

/** Words for the medium of a target: files, sockets, and the rest. */
#define HP_IO_DISK "disk"
#define HP_IO_NETWORK "network"
#define HP_IO_PIPE "pipe"

/** Times of an entry: how long the calls took. */
enum { HP_IO_TIME };

extern const struct hp_kind hp_kind_io;

/** What an enum hp_operation is called: "read". */
const char *hp_io_word(uint32_t operation);

/** The bytes of a row as the kernel counts them in /proc/PID/io: those of a copy from one file to another are read and written,
    and those of send, recv and splice are not counted. */
uint64_t hp_io_counted_bytes(const struct hp_entry *entry);

#endif
