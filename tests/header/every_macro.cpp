// SPDX-License-Identifier: MIT
// The macros as C++: all of C's uses, and the places that only C++ has.
#include "every_macro.c"

namespace
{

struct Parser {
	struct hotpath_span span;
	struct hotpath_channel tokens;

	Parser() : span(), tokens()
	{
		HOTPATH_MEASURE();
		HOTPATH_SPAN_BEGIN(span, "life of a parser");
		HOTPATH_CHANNEL_NEW_ITER(&tokens, "tokens", 0);
	}

	~Parser()
	{
		HOTPATH_MEASURE();
		HOTPATH_CHANNEL_CLOSE(&tokens);
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
	HOTPATH_DBG(value);
	HOTPATH_GAUGE_SET("templated", value);
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
		HOTPATH_VAL("no pointer", nullptr);
		HOTPATH_RETURN(n + m);
	};
	struct hotpath_future future;
	HOTPATH_FUTURE_NEW(&future, "future");
	try {
		HOTPATH_FUTURE_POLL(&future);
		HOTPATH_MEASURE_AS("try");
		Parser parser;
		n = lambda(parser.method(inlined(n)));
	} catch (...) {
		HOTPATH_MEASURE_AS("catch");
		throw;
	}
	return templated(n) + static_cast<int>(templated(2.0)) + Parser::skipped_method(n);
}
