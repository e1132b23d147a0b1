/* SPDX-License-Identifier: MIT */
/* Numbers become text for people, and are read from it. */
#include "bars.h"
#include "format.h"

#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 µs" },
		{ 1004, "1.00 µs" },
		{ 1005, "1.01 µs" },
		{ 169910, "169.91 µs" },
		{ 999994, "999.99 µs" },
		{ 999995, "1.00 ms" },
		{ 1260000, "1.26 ms" },
		{ 999994999, "999.99 ms" },
		{ 999995000, "1.00 s" },
		{ UINT64_C(11770000000), "11.77 s" },
		{ UINT64_C(86400000000000), "86400.00 s" },
		{ UINT64_MAX, "18446744073.71 s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(hp_format_duration(cases[i].ns).text, cases[i].text);
}

static void mean_durations(void **state)
{
	(void)state;
	assert_string_equal(hp_format_mean_duration(12.34).text, "12.3 ns");
	assert_string_equal(hp_format_mean_duration(0.04).text, "0.0 ns");
	assert_string_equal(hp_format_mean_duration(999.94).text, "999.9 ns");
	assert_string_equal(hp_format_mean_duration(999.96).text, "1.00 µs");
	assert_string_equal(hp_format_mean_duration(-1).text, "0.0 ns");
	assert_string_equal(hp_format_mean_duration(__builtin_nan("")).text, "0.0 ns");
}

static void rates(void **state)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 0.004, "0" },
		{ 0.25, "0.25" },
		{ 9.994, "9.99" },
		{ 9.996, "10" },
		{ 999999, "999999" },
		{ 1e6, "1.0 M" },
		{ 25347000, "25.3 M" },
		{ 999960000, "1.0 G" },
		{ 3.42e9, "3.4 G" },
		{ -1, "0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(hp_format_rate(cases[i].rate).text, cases[i].text);
}

static void bars(void **state)
{
	static const double values[] = { 0, 0, 0, 0.1, 40, 40, 80, 80 };
	static const double silent[4] = { 0 };
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	hp_bars_line(values, 8, 4, &text);
	hp_bars_line(silent, 4, 4, &text);
	assert_string_equal(text.bytes, " ▁▃▇    ");
	hp_text_free(&text);
}

static void bytes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KB" },
		{ 1536, "1.5 KB" },
		{ 1048524, "1023.9 KB" },
		{ 1048525, "1.0 MB" },
		{ UINT64_C(3) << 30, "3.0 GB" },
		{ UINT64_MAX, "16384.0 PB" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(hp_format_bytes(cases[i].bytes).text, cases[i].text);
	assert_string_equal(hp_format_difference(0).text, "0 B");
	assert_string_equal(hp_format_difference(1536).text, "1.5 KB");
	assert_string_equal(hp_format_difference(-1536).text, "-1.5 KB");
	assert_string_equal(hp_format_difference(INT64_MIN).text, "-8192.0 PB");
}

static void counts_and_percentages(void **state)
{
	(void)state;
	assert_string_equal(hp_format_count(0).text, "0");
	assert_string_equal(hp_format_count(UINT64_MAX).text, "18446744073709551615");
	assert_string_equal(hp_format_percent(80.944).text, "80.94%");
	assert_string_equal(hp_format_percent(100).text, "100.00%");
	assert_string_equal(hp_format_percent(99.996).text, "100.00%");
	assert_string_equal(hp_format_percent(412.5).text, "412.50%");
	assert_string_equal(hp_format_percent(-3).text, "0.00%");
	assert_string_equal(hp_format_percent(__builtin_inf()).text, "1000000000000000.00%");
}

static void decimals(void **state)
{
	(void)state;
	assert_string_equal(hp_format_decimal(95).text, "95");
	assert_string_equal(hp_format_decimal(99.9).text, "99.9");
	assert_string_equal(hp_format_decimal(0.1 + 0.2).text, "0.30000000000000004");
	assert_string_equal(hp_format_decimal(-1.5e300).text, "-1.5e+300");
}

/* What printf and strtod find, of which one reads what the other writes. */
static void assert_shortest(double value)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	assert_string_equal(hp_format_decimal(value).text, text);
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* A number with those before and after it, and their negatives. */
static void assert_shortest_near(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	for (uint64_t i = bits > 2 ? bits - 2 : 0; i <= bits + 2; i++) {
		assert_shortest(double_of(i));
		assert_shortest(-double_of(i));
	}
}

static void decimals_at_edges(void **state)
{
	(void)state;
	for (int power = -320; power <= 307; power++)
		for (int digit = 1; digit <= 9; digit++) {
			char text[16];
			snprintf(text, sizeof(text), "%de%d", digit, power);
			assert_shortest_near(strtod(text, NULL));
		}
	for (int power = -1074; power <= 1023; power++)
		assert_shortest_near(__builtin_ldexp(1, power));
	assert_shortest(0.0);
	assert_shortest(-0.0);
	assert_shortest(__DBL_MAX__);
}

/* Digits behind the fifteenth that are half of one, which is rounded to an even one. */
static void decimals_between_two(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		assert_shortest((double)(UINT64_C(12345678901234) + i) + 0.5);
		assert_shortest((double)(UINT64_C(1234567890123) + i) + 0.25);
		assert_shortest((double)(UINT64_C(99999999999990) + i) + 0.5);
		assert_shortest((double)(UINT64_C(999999999999990) + i) + 0.5);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void decimals_of_many(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		uint64_t bits = next_random(&random);
		/* Any number at all; one of usual size; one with few digits; a share; a rate. */
		double any = double_of(bits), part = (double)(next_random(&random) >> 20);
		if (__builtin_isfinite(any))
			assert_shortest(any);
		assert_shortest(double_of((bits & 0x000fffffffffffff) | (1000 + bits % 80) << 52));
		assert_shortest((double)(bits % 100000000) / 1000);
		assert_shortest(part * 100 / (double)((bits >> 12) + 1));
		assert_shortest((double)(bits % 5000) * 1e9 / (double)(1000000000 + bits % 999983));
	}
}

static void numbers(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 100, "100" },
		{ 2.5, "2.5" },
		{ -7.25, "-7.25" },
		{ 0.1 + 0.2, "0.3" },
		{ 100.0 / 3, "33.3333" },
		{ 123456.78, "123456.8" },
		{ 1234567, "1234567" },
		{ 999999999999999, "999999999999999" },
		{ 1.5e300, "1.5e+300" },
		{ __builtin_inf(), "inf" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(hp_format_number(cases[i].value).text, cases[i].text);
}

static void changes(void **state)
{
	static const struct {
		double ratio;
		const char *text;
	} cases[] = {
		{ 1, "0.0" },
		{ 1.0004, "0.0" },
		{ 0.9996, "0.0" },
		{ 1.0006, "+0.1" },
		{ 1.124, "+12.4" },
		{ 0.97, "-3.0" },
		{ 1.9994, "+99.9" },
		{ 2, "+100" },
		{ 3.5, "+250" },
		{ 0, "-100" },
		{ 1001, "+100000" },
		{ 1e300, "+∞" },
		{ __builtin_inf(), "+∞" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(hp_format_change(cases[i].ratio).text, cases[i].text);
}

/* A program that has set a locale gets the same report. */
static void decimals_in_a_locale(void **state)
{
	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "ps_AF.UTF-8"))
		skip();
	assert_string_equal(hp_format_decimal(99.9).text, "99.9");
	assert_string_equal(hp_format_decimal(0.1 + 0.2).text, "0.30000000000000004");
	assert_string_equal(hp_format_number(0.1 + 0.2).text, "0.3");
	assert_string_equal(hp_format_percent(80.944).text, "80.94%");
	double value;
	assert_true(hp_parse_decimal("99.9", &value));
	assert_true(value == 99.9);
	setlocale(LC_NUMERIC, "C");
}

static void reading_decimals(void **state)
{
	static const char *const bad[] = { "",	  ".",	 "95.", ".5",
					   "+1",  "-1",	 " 1",	"1 ",
					   "1e2", "0x1", "1,5", "1.2.3",
					   "nan", "inf", "95%", "1234567890123456" };
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(hp_parse_decimal(bad[i], &value));
	assert_true(value == 7);
	assert_true(hp_parse_decimal("0", &value) && value == 0);
	assert_true(hp_parse_decimal("99.9", &value) && value == 99.9);
	assert_true(hp_parse_decimal("99.99999", &value) && value == 99.99999);
	assert_true(hp_parse_decimal("0.001", &value) && value == 0.001);
}

static void reading_counts(void **state)
{
	static const char *const bad[] = { "",	  "-1",	 "+1",	       " 1",
					   "1 ",  "1.0", "2147483648", "99999999999999999999",
					   "ten", "0x10" };
	int value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(hp_parse_count(bad[i], &value));
	assert_int_equal(value, 7);
	assert_true(hp_parse_count("0", &value) && value == 0);
	assert_true(hp_parse_count("2147483647", &value) && value == INT_MAX);
}

static void switches(void **state)
{
	static const char *const yes[] = { "1", "true", "yes", "on" },
				 *const no[] = { "0", "false", "no", "off" },
				 *const bad[] = { "", "2", "ON", " 1", "onward", "-" };
	bool on = false;

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		assert_true(hp_parse_switch(yes[i], &on) && on);
		assert_true(hp_parse_switch(no[i], &on) && !on);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(hp_parse_switch(bad[i], &on));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(mean_durations),
		cmocka_unit_test(rates),
		cmocka_unit_test(bars),
		cmocka_unit_test(bytes),
		cmocka_unit_test(counts_and_percentages),
		cmocka_unit_test(decimals),
		cmocka_unit_test(decimals_at_edges),
		cmocka_unit_test(decimals_between_two),
		cmocka_unit_test(decimals_of_many),
		cmocka_unit_test(switches),
		cmocka_unit_test(numbers),
		cmocka_unit_test(changes),
		cmocka_unit_test(decimals_in_a_locale),
		cmocka_unit_test(reading_decimals),
		cmocka_unit_test(reading_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
