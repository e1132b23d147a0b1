/* SPDX-License-Identifier: MIT */
/*
 * Reads the unwind tables, .eh_frame, and their index, .eh_frame_hdr.
 *
 *	.eh_frame_hdr   address of a function │ address of its FDE    (sorted by function)
 *	                                              │
 *	.eh_frame       CIE ◄──────────────────── FDE: range of addresses, instructions
 *
 * A function has an FDE, and several FDEs share a CIE. Both end with instructions. Addresses are encoded as the CIE says,
 * mostly as four bytes relative to where they are.
 */
#include "unwind.h"

#include "frame_program.h"

#include <elf.h>

enum {
	/* Encodings of an address (DW_EH_PE): the format in four bits, and what it is relative to. */
	FORMAT = 0x0f,
	FORMAT_SIGNED = 0x08,
	FORMAT_LEB = 1,
	RELATIVE = 0x70,
	RELATIVE_TO_ITSELF = 0x10,
	RELATIVE_TO_TABLE = 0x30,
	INDIRECT = 0x80,
	OMITTED = 0xff,
	/* Encoding of the entries in .eh_frame_hdr: signed four bytes, relative to the header. */
	SORTED_TABLE = 0x3b,
	/* Entries are some hundred bytes long; the size of one that a broken table claims to be long, in bytes. */
	ENTRY_MAX = 1 << 20,
	/* Letters of an augmentation; there are eight, and each is there once. */
	LETTERS_MAX = 16,
};

/* The contents of a CIE (common information entry). */
struct common {
	struct hp_cursor code;
	unsigned encoding;
	bool has_sizes;
	bool is_signal;
};

struct reader {
	const struct hp_unwind_region *region;
	uint64_t header;
};

/* A cursor at an address, to the end of the region. */
static struct hp_cursor cursor_at(const struct hp_unwind_region *region, uint64_t address)
{
	static const unsigned char none[1] = { 0 };
	uint64_t into = address - region->address;

	if (!region->bytes || into >= region->size)
		return (struct hp_cursor){ none, none, true };
	return (struct hp_cursor){ region->bytes + into, region->bytes + region->size, false };
}

static uint64_t address_of(const struct hp_unwind_region *region, const unsigned char *at)
{
	return region->address + (uint64_t)(at - region->bytes);
}

/* Read a number by its format, without what it is relative to. */
static uint64_t formatted(struct hp_cursor *cursor, unsigned encoding)
{
	static const unsigned char sizes[] = { 8, 0, 2, 4, 8, 0, 0, 0 };
	unsigned format = encoding & FORMAT & ~(unsigned)FORMAT_SIGNED;
	bool is_signed = encoding & FORMAT_SIGNED;
	size_t size = sizes[format];

	if (format == FORMAT_LEB)
		return hp_cursor_leb(cursor, is_signed);
	cursor->failed |= size == 0;
	uint64_t value = hp_cursor_fixed(cursor, size);
	return is_signed ? hp_extend(value, (unsigned)size * 8) : value;
}

static uint64_t encoded(struct hp_cursor *cursor, const struct reader *reader, unsigned encoding)
{
	uint64_t here = cursor->failed ? 0 : address_of(reader->region, cursor->at);
	uint64_t value = formatted(cursor, encoding);
	unsigned relative = encoding & RELATIVE;

	cursor->failed |= (encoding & INDIRECT) != 0;
	if (relative == RELATIVE_TO_ITSELF)
		return here + value;
	if (relative == RELATIVE_TO_TABLE)
		return reader->header + value;
	cursor->failed |= relative != 0;
	return value;
}

/* A cursor over an entry, after its length field. */
static struct hp_cursor entry_at(const struct hp_unwind_region *region, uint64_t address)
{
	struct hp_cursor cursor = cursor_at(region, address);
	uint64_t size = hp_cursor_fixed(&cursor, 4);

	cursor.failed |= size > ENTRY_MAX || size > (uint64_t)(cursor.end - cursor.at);
	if (!cursor.failed)
		cursor.end = cursor.at + size;
	return cursor;
}

/* The parts of the augmentation, each described by a letter of a string that ends inside the entry. */
static void read_augmentation(struct common *common, struct hp_cursor *cursor,
			      const unsigned char *letters)
{
	for (; *letters && !cursor->failed; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = (unsigned)hp_cursor_fixed(cursor, 1);
			break;
		case 'L':
			hp_cursor_skip(cursor, 1);
			break;
		case 'P':
			/* The pointer to the personality routine is skipped. */
			formatted(cursor, (unsigned)hp_cursor_fixed(cursor, 1));
			break;
		case 'S':
			common->is_signal = true;
			break;
		case 'B':
		case 'G':
			/* aarch64: the key for signing return addresses; tagged stack frames. */
			break;
		default:
			cursor->failed = true;
		}
	}
}

static const unsigned char *read_letters(struct hp_cursor *cursor)
{
	const unsigned char *letters = cursor->at;

	while (!cursor->failed && hp_cursor_fixed(cursor, 1))
		cursor->failed |= cursor->at - letters > LETTERS_MAX;
	return letters;
}

/* Read a CIE, up to its instructions. */
static void read_common(struct common *common, struct hp_frame_program *program,
			const struct reader *reader, uint64_t at)
{
	struct hp_cursor cursor = entry_at(reader->region, at);
	uint64_t id = hp_cursor_fixed(&cursor, 4), version = hp_cursor_fixed(&cursor, 1);
	const unsigned char *letters = read_letters(&cursor);

	*common = (struct common){ .code = cursor };
	common->code.failed |= id != 0 || (version != 1 && version != 3);
	if (common->code.failed)
		return;
	program->code_factor = hp_cursor_number(&cursor);
	program->data_factor = hp_cursor_signed(&cursor);
	uint64_t ra = version == 1 ? hp_cursor_fixed(&cursor, 1) : hp_cursor_number(&cursor);
	common->has_sizes = *letters == 'z';
	if (common->has_sizes) {
		uint64_t size = hp_cursor_number(&cursor);
		struct hp_cursor inside = cursor;
		hp_cursor_skip(&cursor, size);
		inside.end = cursor.at;
		inside.failed = cursor.failed;
		read_augmentation(common, &inside, letters + 1);
		cursor.failed |= inside.failed;
	} else {
		cursor.failed |= *letters != '\0';
	}
	cursor.failed |= ra != program->registers.ra;
	common->code = cursor;
}

static bool know_registers(struct hp_unwind_registers *registers, unsigned machine)
{
	if (machine == EM_X86_64)
		*registers = (struct hp_unwind_registers){ .sp = 7,
							   .fp = 6,
							   .ra = 16,
							   .data = 0,
							   .scratch = 0xf34,
							   .rbx = 3,
							   .known = 16 };
	else if (machine == EM_AARCH64)
		*registers = (struct hp_unwind_registers){ .sp = 31,
							   .fp = 29,
							   .ra = 30,
							   .data = 0,
							   .scratch = 0x7fff0,
							   .has_link = true,
							   .rbx = HP_NO_REGISTER,
							   .known = 29 };
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

static uint64_t read_entry(const struct reader *reader, unsigned machine, uint64_t at,
			   uint64_t address)
{
	struct hp_frame_program program = { .address = address,
					    .left = 0,
					    .state.cfa.base = HP_BASE_UNKNOWN };
	struct hp_cursor cursor = entry_at(reader->region, at);
	uint64_t back_at = at + 4, back = hp_cursor_fixed(&cursor, 4);
	struct common common;

	if (cursor.failed || !back || !know_registers(&program.registers, machine))
		return HP_RULE_NONE;
	read_common(&common, &program, reader, back_at - back);
	uint64_t begin = encoded(&cursor, reader, common.encoding);
	uint64_t size = formatted(&cursor, common.encoding & FORMAT);
	if (common.has_sizes)
		hp_cursor_skip(&cursor, hp_cursor_number(&cursor));
	if (cursor.failed || common.code.failed || address - begin >= size)
		return HP_RULE_NONE;
	hp_frame_program_run(&program, &common.code);
	program.initial = program.state;
	program.left = address - begin;
	program.arrived = false;
	hp_frame_program_run(&program, &cursor);
	if (cursor.failed || common.code.failed)
		return HP_RULE_NONE;
	return hp_frame_rule(&program, common.is_signal, address - begin);
}

uint64_t hp_unwind_rule(const struct hp_unwind_region *region, unsigned machine, uint64_t entry,
			uint64_t address)
{
	const struct reader reader = { region, 0 };

	return read_entry(&reader, machine, entry, address);
}

/* Whether an entry is of a function, and has code. */
static bool read_function(const struct reader *reader, unsigned machine, uint64_t at,
			  uint64_t *function)
{
	struct hp_frame_program program = { .address = 0 };
	struct hp_cursor cursor = entry_at(reader->region, at);
	uint64_t back = hp_cursor_fixed(&cursor, 4);
	struct common common;

	if (cursor.failed || !back || !know_registers(&program.registers, machine))
		return false;
	read_common(&common, &program, reader, at + 4 - back);
	*function = encoded(&cursor, reader, common.encoding);
	uint64_t size = formatted(&cursor, common.encoding & FORMAT);
	return size && !cursor.failed && !common.code.failed;
}

/* An entry of no length ends the tables of one file; those of the next may follow. */
bool hp_unwind_next(const struct hp_unwind_region *region, unsigned machine, uint64_t *at,
		    uint64_t *function, uint64_t *entry)
{
	const struct reader reader = { region, 0 };
	struct hp_cursor cursor;

	while (!(cursor = entry_at(region, *at)).failed) {
		*entry = *at;
		*at = address_of(region, cursor.end);
		if (read_function(&reader, machine, *entry, function))
			return true;
	}
	return false;
}

/* The sorted table of .eh_frame_hdr: pairs of four bytes, and how many there are. */
static struct hp_cursor sorted_table(const struct reader *reader, uint64_t *count)
{
	struct hp_cursor cursor = cursor_at(reader->region, reader->header);
	uint64_t version = hp_cursor_fixed(&cursor, 1);
	unsigned frame_encoding = (unsigned)hp_cursor_fixed(&cursor, 1);
	unsigned count_encoding = (unsigned)hp_cursor_fixed(&cursor, 1);
	uint64_t table_encoding = hp_cursor_fixed(&cursor, 1);

	if (frame_encoding != OMITTED)
		encoded(&cursor, reader, frame_encoding);
	*count = formatted(&cursor, count_encoding);
	cursor.failed |= version != 1 || count_encoding == OMITTED ||
			 table_encoding != SORTED_TABLE;
	if (*count > (uint64_t)(cursor.end - cursor.at) / (2 * sizeof(int32_t)))
		*count = (uint64_t)(cursor.end - cursor.at) / (2 * sizeof(int32_t));
	return cursor;
}

/* The address of the nth function in the sorted table, if `which` is 0; of its FDE, if 1. */
static uint64_t item(const struct reader *reader, const struct hp_cursor *table, uint64_t nth,
		     unsigned which)
{
	int32_t offset;

	memcpy(&offset, table->at + (2 * nth + which) * sizeof(offset), sizeof(offset));
	return reader->header + (uint64_t)(int64_t)offset;
}

uint64_t hp_unwind_find(const struct hp_unwind_region *region, unsigned machine, uint64_t header,
			uint64_t address)
{
	const struct reader reader = { region, header };
	uint64_t low = 0, high;
	struct hp_cursor table = sorted_table(&reader, &high);

	if (table.failed)
		return HP_RULE_NONE;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (item(&reader, &table, middle, 0) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return HP_RULE_NONE;
	return read_entry(&reader, machine, item(&reader, &table, low - 1, 1), address);
}

uint64_t hp_unwind_find_place(const struct hp_unwind_region *region, unsigned machine,
			      uint64_t header, uint64_t pc, bool returned)
{
	uint64_t rule = hp_unwind_find(region, machine, header, pc - returned);

	/* The first function of a coroutine returns to the beginning of another one, with no call before it: nobody called. */
	if (returned && !rule && hp_unwind_find(region, machine, header, pc))
		return HP_RULE_OUTERMOST;
	return rule;
}
