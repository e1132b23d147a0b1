/* SPDX-License-Identifier: MIT */
/* The code that a process has mapped: finds the module of an address, and stores modules in the segment. */
#ifndef HP_CODE_MAP_H
#define HP_CODE_MAP_H

#include "mapped_file.h"
#include "module_tables.h"
#include "segment_writer.h"

/** A part of a process's memory that has code. */
struct hp_code_range {
	uint64_t start;
	uint64_t end;
	/** The difference between addresses in memory and in the file. */
	uint64_t bias;
	/** The id of the module; 0 for code of no file, such as code generated at run time. */
	uint32_t module;
};

struct hp_code_map {
	struct hp_segment_writer *writer;
	/** The process, or any of its threads. */
	uint32_t pid;
	/** By address; they do not overlap. */
	struct hp_code_range *ranges;
	size_t count;
	size_t room;
	/** When /proc/PID/maps was last read. */
	uint64_t read_ns;
	struct hp_module_tables tables;
	/** A cache of rules for unwinding; NULL before the first. Whether any is in it. */
	struct hp_known_rule *rules;
	bool has_rules;
};

/** Read all mappings of the process. Returns false when that is not possible, or memory ran out. */
bool hp_code_map_read(struct hp_code_map *map);

/** Add a mapping of code, in place of what was mapped there before. */
bool hp_code_map_add(struct hp_code_map *map, const struct hp_mapped *mapped);

/**
 * Make a frame of a stack from an address.
 *
 * @param executed
 *         The address is that of an instruction that was executed: if it is in no known mapping, mappings are read again.
 *         Otherwise it is a return address, and looked up as the call before it.
 * @return
 *         0 when there is no code at the address.
 */
uint64_t hp_code_map_frame(struct hp_code_map *map, enum hp_frame_kind kind, uint64_t address,
			   bool executed);

/**
 * Find the rule for unwinding at an address.
 *
 * @param returned
 *         The address is one that a call returns to, and not that of an instruction that was interrupted.
 * @return
 *         A packed rule; HP_RULE_NONE when there is none.
 */
uint64_t hp_code_map_rule(struct hp_code_map *map, uint64_t pc, bool returned);

void hp_code_map_free(struct hp_code_map *map);

#endif
