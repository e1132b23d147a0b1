// SPDX-License-Identifier: MIT
// What C++ adds to functions: exceptions that leave them, copies of inline functions in several places, virtual functions
// with more than one entry, and code before and after main. Each counts its calls.
#include <cstdio>
#include <exception>

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

enum { ROUNDS = 50 };

static unsigned long early_calls, throws_calls, cleans_calls, catches_calls, area_calls,
	length_calls, int_calls, double_calls, dropped;

struct early {
	NOINLINE early() { ++early_calls; }
	NOINLINE ~early() { std::fflush(stdout); }
};
static early before_main;

struct failure : std::exception {
	const char *what() const noexcept override { return "three"; }
};

struct guard {
	~guard() { ++dropped; }
};

NOINLINE static int throws(int i)
{
	++throws_calls;
	if (i % 3 == 0)
		throw failure();
	return i;
}

NOINLINE static int cleans_up(int i)
{
	const guard inside;

	++cleans_calls;
	return throws(i) + 1;
}

NOINLINE static int catches(int i)
{
	++catches_calls;
	try {
		return cleans_up(i);
	} catch (const failure &error) {
		return error.what()[0];
	}
}

struct shape {
	virtual ~shape() = default;
	virtual int area(int a) const = 0;
};

struct named {
	virtual ~named() = default;
	virtual int length(int a) const = 0;
};

struct square : shape, named {
	NOINLINE int area(int a) const override
	{
		++area_calls;
		return a * a;
	}
	NOINLINE int length(int a) const override
	{
		++length_calls;
		return a + 6;
	}
};

template <typename T> NOINLINE T largest(const T *items, int count)
{
	++(sizeof(T) == sizeof(int) ? int_calls : double_calls);
	T best = items[0];
	for (int i = 1; i < count; i++)
		best = items[i] > best ? items[i] : best;
	return best;
}

NOINLINE static const square *make()
{
	return new square;
}

int main()
{
	const square *object = make();
	const shape *as_shape = object;
	const named *as_named = object;
	int integers[ROUNDS];
	double reals[ROUNDS];
	long sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		integers[i] = i * 7 % 50;
		reals[i] = i * 0.5;
		sum += catches(i) + as_shape->area(i) + as_named->length(i);
		sum += largest(integers, i + 1) + static_cast<long>(largest(reals, i + 1));
	}
	delete object;
	std::printf("sum %ld and %lu\n", sum, dropped);
	std::printf("early::early %lu\nthrows %lu\ncleans_up %lu\ncatches %lu\n", early_calls,
		    throws_calls, cleans_calls, catches_calls);
	std::printf("square::area %lu\nsquare::length %lu\n", area_calls, length_calls);
	std::printf("largest<int> %lu\nlargest<double> %lu\n", int_calls, double_calls);
	return 0;
}
