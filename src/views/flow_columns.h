/* SPDX-License-Identifier: MIT */
/*
 * The columns of the sections about async work and data flow: each once, with what it is called in a table and in
 * JSON, and which figure it shows.
 */
#ifndef HP_FLOW_COLUMNS_H
#define HP_FLOW_COLUMNS_H

#include "model.h"
#include "table.h"
#include "text.h"

enum hp_flow_section {
	HP_FLOW_CHANNELS,
	HP_FLOW_LATENCY,
	HP_FLOW_STREAMS,
	HP_FLOW_FUTURES,
	HP_FLOW_LOOPS,
	HP_FLOW_DEBUG,
	HP_FLOW_SECTIONS,
};

/** How a figure is written; those before HP_FLOW_NAME are numbers. */
enum hp_flow_unit {
	HP_FLOW_COUNT,
	HP_FLOW_BYTES,
	HP_FLOW_TIME,
	/** One column for each percentile of the times. */
	HP_FLOW_PERCENTILE,
	/** In a second: while somebody watches, of late; else over all the time. */
	HP_FLOW_RATE,
	/** The share of its time that a loop waited. */
	HP_FLOW_IDLE,
	/** A double, of gauges alone. */
	HP_FLOW_NUMBER,
	HP_FLOW_NAME,
	/** Of a channel, how much it holds; of a value, how the program shows it. */
	HP_FLOW_TYPE,
	HP_FLOW_STATE,
	HP_FLOW_SLOWEST,
	HP_FLOW_VALUE,
	HP_FLOW_PLACE,
	/** In JSON alone. */
	HP_FLOW_LABELLED,
	HP_FLOW_VALUE_KIND,
	HP_FLOW_POINTS,
};

/** When there is such a column. */
enum hp_flow_when {
	HP_FLOW_ALWAYS,
	/** Where allocations are recorded. */
	HP_FLOW_IF_MEMORY,
	/** If any row has such a figure. */
	HP_FLOW_IF_ANY,
};

struct hp_flow_column {
	/** Empty for what is in JSON alone. That of names is the section's. */
	const char *header;
	/** In JSON; empty for what follows from others. After '_' it belongs to what the section calls its times. */
	const char *key;
	/** Bits: the sections that have it. */
	uint8_t sections;
	uint8_t unit;
	uint8_t when;
	/** Where there is no room for all columns, those with the highest go first. */
	uint8_t rank;
	/** Of its figure in a struct hp_flow, and of the one that it is divided by, or 0; in words. */
	uint8_t at;
	uint8_t over;
};

extern const struct hp_flow_column hp_flow_columns[];
extern const size_t hp_flow_column_count;

/** What a column that is a number shows of a row: whole, or real where the unit is one of such. */
struct hp_flow_figure {
	bool is_known;
	uint64_t whole;
	double real;
};

/** @param percent Which percentile, if it is one. */
struct hp_flow_figure hp_flow_figure(const struct hp_flow_column *column,
				     const struct hp_model *model, const struct hp_flow *flow,
				     double percent);

/** The cell of a row; returns its colour. */
enum hp_paint hp_flow_cell(const struct hp_flow_column *column, const struct hp_model *model,
			   const struct hp_flow *flow, double percent, struct hp_text *text);

/** What rows are sorted by, the largest first; those with the same stay as they are. */
double hp_flow_weight(const struct hp_flow_column *column, const struct hp_model *model,
		      const struct hp_flow *flow, double percent);

/** "bounded[64]", "unbounded", "oneshot"; "dbg", "val" or "gauge". */
void hp_flow_put_type(const struct hp_flow *flow, struct hp_text *text);
/** "active", "full", "closed" or "notified". */
const char *hp_flow_state_name(const struct hp_flow *flow);
/** The file without its folder, and the line; nothing when that is not known. */
void hp_flow_put_place(const struct hp_flow *flow, struct hp_text *text);
/** What kind its value is, an enum hp_value: of a gauge, a double. */
uint32_t hp_flow_value_kind(const struct hp_flow *flow);

#endif
