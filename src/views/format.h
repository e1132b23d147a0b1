/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text for people: the only place where they are formatted, or parsed from user input.
 *
 * A program may have any locale: a decimal point is always '.'.
 */
#ifndef HP_FORMAT_H
#define HP_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/** A number as text; by value, so that it can be an argument: hp_format_count(3).text. */
struct hp_figure {
	char text[32];
};

/** "999 ns", "169.91 µs", "1.26 ms", "11.77 s". */
struct hp_figure hp_format_duration(uint64_t ns);

/** The same for what is smaller than a nanosecond or a mean of such: "12.3 ns". */
struct hp_figure hp_format_mean_duration(double ns);

/** "512 B", "1.5 KB", "3.0 MB": 1024-based. */
struct hp_figure hp_format_bytes(uint64_t bytes);

/** Bytes more or less: "1.5 KB", "-64 B". */
struct hp_figure hp_format_difference(int64_t bytes);

/** "1000000". */
struct hp_figure hp_format_count(uint64_t count);

/** How often something happens in a second: "0", "0.25", "17", "25300", "1.2 M", "3.4 G". */
struct hp_figure hp_format_rate(double rate);

/** "80.94%". */
struct hp_figure hp_format_percent(double percent);

/** As few digits as read back as the same finite number: "99.9", "100", "1e+300". */
struct hp_figure hp_format_decimal(double value);

/** The same with six digits, or one behind the point if more stand before it: "100", "2.5", "123456.8", "1e+300", "inf". */
struct hp_figure hp_format_number(double value);

/** How much more or less a ratio is, in percent without the sign for it: "+12.4", "-3.0", "0.0", "+250", "+∞". */
struct hp_figure hp_format_change(double ratio);

/** A moment as clocks here show it: "2026-11-15 16:54:06"; "-" when there is no such. */
struct hp_figure hp_format_moment(uint64_t unix_ns);

/** Read a number such as "95" or "99.9": digits, up to 15 of them, nothing else. */
bool hp_parse_decimal(const char *string, double *value);

/** Read a whole number from 0 to INT_MAX. */
bool hp_parse_count(const char *string, int *value);

/** Read 1, true, yes, on, or their opposites, as the recorder reads its variables. */
bool hp_parse_switch(const char *string, bool *on);

#endif
