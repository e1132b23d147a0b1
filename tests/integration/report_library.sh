#!/bin/sh
# SPDX-License-Identifier: MIT
# The recorder alone is loaded into programs; what prints their report is loaded when they begin to measure themselves.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

program=$BUILD/tests/programs/obedient
library=$BUILD/src/library
nobody=65534

# obedient COMMAND...: the program's output and status are its own; what else is said is in $work/stderr.
obedient()
{
	echo 3 > "$work/input"
	status=0
	"$@" < "$work/input" > "$work/stdout" 2> "$work/stderr" || status=$?
	[ "$status" = 0 ] || fail "'$*' ends with $status: $(cat "$work/stderr")"
	same 3 "$work/stdout"
}

# Alone it prints its report; under the tool nothing but the recorder is in it.
obedient "$program"
says '| step' "$work/stderr"
obedient env HOTPATH_OUTPUT_FORMAT=json "$program"
jq -e '.machine.cores > 0 and (.machine.kernel | length) > 0' "$work/stderr" > "$work/answer" ||
	fail "no machine in the program's own JSON: $(head -c 300 "$work/stderr")"
obedient env HOTPATH_OUTPUT_FORMAT=html "$program"
says "hotpath: html is written by the tool: 'hotpath run --format html PROGRAM'; this report is a table" "$work/stderr"
says '| step' "$work/stderr"
"$HOTPATH" run --format none -- cat /proc/self/maps > "$work/maps"
says libhotpath.so "$work/maps"
if grep libhotpath-report "$work/maps"; then fail 'hotpath run: the program has libhotpath-report'; fi

# The tool loads what few commands need when it is needed.
if readelf -d "$HOTPATH" | grep -E 'NEEDED.*lib(dw|elf|ncursesw|tinfo|stdc\+\+)\.so'; then
	fail 'the tool is linked with libraries that hotpath run does not need'
fi

# without_report WORDS: the program runs as ever, one line says how to get the report, and that works.
without_report()
{
	rm -f "$HOTPATH_DIR"/*
	obedient env LD_LIBRARY_PATH="$work/alone" "$program"
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "$1: not one line: $(cat "$work/stderr")"
	says "$1" "$work/stderr"
	says 'hotpath report' "$work/stderr"
	"$HOTPATH" report > "$work/report"
	says '| step' "$work/report"
}

# It is missing, of another version, or no library at all. A path in the program would be tried first.
mkdir "$work/alone"
cp "$library/libhotpath.so.0" "$work/alone"
if readelf -d "$program" | grep -q RPATH; then
	echo 'skipped: the program finds its library before ours'
else
	without_report 'cannot load libhotpath-report.so.0'
	cat > "$work/older.c" <<- 'END'
		const struct { unsigned size; const char *version; void *print; } hotpath_reporter =
			{ sizeof(hotpath_reporter), "0.0.1", 0 };
	END
	"${CC:-cc}" -shared -fPIC -o "$work/alone/libhotpath-report.so.0" "$work/older.c"
	without_report 'libhotpath-report.so.0 is of another version'
	echo 'no library' > "$work/alone/libhotpath-report.so.0"
	without_report 'cannot load libhotpath-report.so.0'
fi

# A program that changes its root, or the user, after its start has it by then.
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/root"
	cat > "$work/moves.c" <<- 'END'
		#include <hotpath.h>
		#include <unistd.h>
		static int step(int number) { HOTPATH_MEASURE(); return number + 1; }
		int main(int count, char **words)
		{
			HOTPATH_MAIN();
			return count < 2 || chroot(words[1]) || chdir("/") || setuid(65534) || step(1) != 2;
		}
	END
	"${CC:-cc}" -DHOTPATH_ENABLE=1 -I "$(dirname "$0")/../../include" -o "$work/moves" "$work/moves.c" \
		-L "$library" -lhotpath -Wl,-rpath,"$library"
	expect 0 "$work/moves" "$work/root"
	says '| step' "$work/stderr"
	# One that runs with privileges finds it where it found the recorder, whatever the environment says.
	chown $nobody "$work/moves"
	chmod 4755 "$work/moves"
	chmod 711 "$work"
	expect 1 env LD_LIBRARY_PATH="$work/alone" "$work/moves" "$work/root"
	says '[hotpath]' "$work/stderr"
else
	echo 'skipped: root and user cannot be changed'
fi

# A program that starts late, stops, and starts again.
cat > "$work/late.c" <<- 'END'
	#include <hotpath.h>
	#include <dlfcn.h>
	static int step(int number) { HOTPATH_MEASURE(); return number + 1; }
	int main(void)
	{
		int number = step(0);
		for (int i = 0; i < 2; i++) {
			hotpath_start(0);
			number = step(number);
			hotpath_stop();
		}
		return number != 3;
	}
END
"${CC:-cc}" -DHOTPATH_ENABLE=1 -I "$(dirname "$0")/../../include" -o "$work/late" "$work/late.c" -L "$library" -lhotpath \
	-Wl,-rpath,"$library"
expect 0 "$work/late"
[ "$(grep -c '| step' "$work/stderr")" = 2 ] || fail "late: not two reports: $(cat "$work/stderr")"

# The static library has both.
"${CC:-cc}" -DHOTPATH_ENABLE=1 -I "$(dirname "$0")/../../include" -o "$work/static" "$work/late.c" "$library/libhotpath.a" \
	-pthread
expect 0 "$work/static"
[ "$(grep -c '| step' "$work/stderr")" = 2 ] || fail "static: not two reports: $(cat "$work/stderr")"

exit "$failed"
