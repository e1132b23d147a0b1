// SPDX-License-Identifier: MIT
// The macros as C++: all of C's uses, and the places that only C++ has.
#include "every_macro.c"

namespace
{

struct Parser {
	struct hotpath_span span;

	Parser() : span()
	{
		HOTPATH_MEASURE();
		HOTPATH_SPAN_BEGIN(span, "life of a parser");
	}

	~Parser()
	{
		HOTPATH_MEASURE();
		HOTPATH_SPAN_END(span);
	}

	int method(int n) const
	{
		HOTPATH_MEASURE();
		HOTPATH_RETURN(n);
	}

	HOTPATH_SKIP static int skipped_method(int n) { return n; }
};

template <typename T> T templated(T value)
{
	HOTPATH_MEASURE();
	HOTPATH_BLOCK("templated", { value = static_cast<T>(value + 1); });
	HOTPATH_RETURN(value);
}

inline int inlined(int n)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN(n);
}

} // namespace

extern "C" int c_linkage(int n);
extern "C" int c_linkage(int n)
{
	HOTPATH_MEASURE();
	const auto lambda = [n](int m) {
		HOTPATH_MEASURE();
		HOTPATH_RETURN(n + m);
	};
	try {
		HOTPATH_MEASURE_AS("try");
		Parser parser;
		n = lambda(parser.method(inlined(n)));
	} catch (...) {
		HOTPATH_MEASURE_AS("catch");
		throw;
	}
	return templated(n) + static_cast<int>(templated(2.0)) + Parser::skipped_method(n);
}
