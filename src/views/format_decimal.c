/* SPDX-License-Identifier: MIT */
/*
 * The shortest decimal that reads back as the same number: 15 digits if those do, 17 at most, without zeros at the end.
 *
 * A live report has thousands of numbers a second, and printing and parsing each of them would be a third of all work. So the
 * digits of numbers of usual size are found with whole numbers. A number is a mantissa times a power of two, thus
 *
 *	number × 10^places = mantissa × 5^places × 2^(exponent + places) = product / 2^shift
 *
 * The product has 100 bits at most, so the digits are exact. So is the answer whether they are read back as the number: they are if
 * they are less than half a step of the mantissa away from it, and a step is 5^places / 2^shift.
 */
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
	/* Bits of a mantissa that are stored; its first one is not. */
	MANTISSA_BITS = 52,
	/* The exponent of a mantissa that is stored as 0. */
	EXPONENT_ZERO = 1023 + MANTISSA_BITS,
	DIGITS_MIN = 15,
	DIGITS_MAX = 17,
	/* Numbers of usual size are at least 10^POWER_MIN, and less than 10^POWER_END: all of them are written without exponent. */
	POWER_MIN = -4,
	POWER_END = 14,
	PLACES_MAX = DIGITS_MAX - 1 - POWER_MIN,
};

static const double powers[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,	 1e4, 1e5,
				 1e6,  1e7,  1e8,  1e9,	 1e10, 1e11, 1e12, 1e13, 1e14 };

static const uint64_t fives[PLACES_MAX + 1] = {
	1,
	5,
	25,
	125,
	625,
	3125,
	15625,
	78125,
	390625,
	1953125,
	9765625,
	48828125,
	244140625,
	1220703125,
	6103515625,
	30517578125,
	152587890625,
	762939453125,
	3814697265625,
	19073486328125,
	95367431640625,
};

/* A number of usual size: mantissa × 2^exponent, which begins with the digit of 10^power. */
struct parts {
	uint64_t mantissa;
	int exponent;
	int power;
};

/* Digits as a whole number, of which so many are behind the point; and whether they read back as the number. */
struct decimal {
	uint64_t digits;
	int places;
	bool is_same;
};

static struct parts parts_of(double value)
{
	struct parts parts = { .power = POWER_MIN };
	uint64_t bits, hidden = UINT64_C(1) << MANTISSA_BITS;

	memcpy(&bits, &value, sizeof(bits));
	parts.mantissa = (bits & (hidden - 1)) | hidden;
	parts.exponent = (int)(bits >> MANTISSA_BITS) - EXPONENT_ZERO;
	while (value >= powers[parts.power + 1 - POWER_MIN])
		parts.power++;
	return parts;
}

/*
 * Whether a decimal at this distance is read as the number again: if two numbers are equally near, the one with an even
 * mantissa is read. Steps below a power of two are smaller than those above it, but powers of two of usual size have no more
 * than 15 digits.
 */
static bool reads_back(const struct parts *parts, wide distance, uint64_t step)
{
	return distance * 2 < step || (distance * 2 == step && parts->mantissa % 2 == 0);
}

/* Round to so many digits, as printf does: to the even one of two that are equally near. Shift is never less than 1. */
static struct decimal round_to(const struct parts *parts, int count)
{
	struct decimal decimal = { .places = count - 1 - parts->power };
	wide product = (wide)parts->mantissa * fives[decimal.places];
	int shift = -(parts->exponent + decimal.places);
	wide unit = (wide)1 << shift, rest = product & (unit - 1);

	decimal.digits = (uint64_t)(product >> shift);
	bool is_up = rest > unit / 2 || (rest == unit / 2 && decimal.digits % 2);
	decimal.digits += is_up;
	decimal.is_same = reads_back(parts, is_up ? unit - rest : rest, fives[decimal.places]);
	return decimal;
}

static struct decimal shortest(const struct parts *parts)
{
	struct decimal decimal;
	int count = DIGITS_MIN;

	do
		decimal = round_to(parts, count);
	while (!decimal.is_same && ++count <= DIGITS_MAX);
	for (; decimal.places && decimal.digits % 10 == 0; decimal.places--)
		decimal.digits /= 10;
	return decimal;
}

static struct hp_figure text_of(struct decimal decimal, bool is_negative)
{
	struct hp_figure figure;
	char *end = figure.text + sizeof(figure.text), *at = end;

	*--at = '\0';
	for (int i = 0; decimal.digits || i <= decimal.places; i++) {
		if (i && i == decimal.places)
			*--at = '.';
		*--at = (char)('0' + decimal.digits % 10);
		decimal.digits /= 10;
	}
	if (is_negative)
		*--at = '-';
	memmove(figure.text, at, (size_t)(end - at));
	return figure;
}

/* ---- of any size ---- */

/* Replace the decimal point of the program's locale, which may have several bytes, by '.'. */
static void put_point(char *text)
{
	size_t digits = strspn(text, "+-0123456789e");
	char *point = text + digits;
	if (!*point)
		return;

	char *rest = point + strcspn(point, "0123456789");
	*point++ = '.';
	memmove(point, rest, strlen(rest) + 1);
}

static struct hp_figure print(double value)
{
	struct hp_figure figure;

	for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
		snprintf(figure.text, sizeof(figure.text), "%.*g", digits, value);
		if (strtod(figure.text, NULL) == value)
			break;
	}
	put_point(figure.text);
	return figure;
}

struct hp_figure hp_format_decimal(double value)
{
	double size = value < 0 ? -value : value;

	/* Not so for NAN. */
	if (size >= powers[0] && size < powers[POWER_END - POWER_MIN]) {
		struct parts parts = parts_of(size);
		return text_of(shortest(&parts), value < 0);
	}
	if (value == 0 && !__builtin_signbit(value))
		return (struct hp_figure){ "0" };
	return print(value);
}
