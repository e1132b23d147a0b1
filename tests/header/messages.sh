#!/bin/sh
# SPDX-License-Identifier: MIT
# What cannot be kept is refused with one message that says so: in C and in C++, on and off.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# subject STATEMENT: a function that returns a struct, with one mistake in it.
subject()
{
	cat << END
#include <hotpath.h>
struct pair { int a, b; };
struct pair sum(struct pair pair);
struct pair sum(struct pair pair)
{
	struct hotpath_future future;
	HOTPATH_MEASURE();
	HOTPATH_FUTURE_NEW(&future, "sum");
	$1
	return pair;
}
END
}

# one_message COMPILER SOURCE ON
one_message()
{
	"$1" "-DHOTPATH_ENABLE=$3" -fsyntax-only -I"$here/../../include" "$work/$2" 2> "$work/errors" || true
	grep 'error: ' "$work/errors" > "$work/messages" || true
	if [ "$(wc -l < "$work/messages")" != 1 ] ||
		! grep -q 'hotpath.keeps.numbers' "$work/messages"; then
		echo "FAILED: $1, HOTPATH_ENABLE=$3: not one clear message"
		cat "$work/errors"
		failed=1
	fi
}

for statement in 'HOTPATH_RETURN(pair);' 'HOTPATH_DBG(pair);' 'HOTPATH_VAL("pair", pair);' \
	'HOTPATH_FUTURE_READY_LOG(&future, pair);'; do
	subject "$statement" > "$work/subject.c"
	cp "$work/subject.c" "$work/subject.cpp"
	for on in 0 1; do
		one_message gcc subject.c "$on"
		one_message clang subject.c "$on"
		one_message g++ subject.cpp "$on"
		one_message clang++ subject.cpp "$on"
	done
done
exit "$failed"
