#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of functions, with the text of their sources where that is to be had.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
cd "$work"

# Two lines with work in a ratio of 3 to 1, and one that is inlined; the folder has a space, a line what could harm.
mkdir 'my sources'
cat > 'my sources/hot.c' << 'END'
static volatile unsigned long kept;

static inline __attribute__((always_inline)) void toggle(unsigned long j) { kept ^= j; }

static inline __attribute__((always_inline)) void more(void)
{
	for (unsigned long j = 0; j < 4000; j++)
		toggle(j);
}

/* Each step needs the result of the one before, so that all take the same time. */
__attribute__((noinline)) static unsigned long work(unsigned long x)
{
	for (unsigned long j = 0; j < 6000; j++) x = 98765432109876 / (x | 1) + j;
	for (unsigned long j = 0; j < 2000; j++) x = 98765432109876 / (x | 1) + j; /* ESC[31m */
	return x;
}

int main(void)
{
	for (int i = 0; i < 15000; i++) {
		kept = work(kept);
		more();
	}
	return kept == 1;
}
END
sed -i "s/ESC/$(printf '\033')/" 'my sources/hot.c'
touch -d '1 hour ago' 'my sources/hot.c'
gcc -O1 -g -fno-omit-frame-pointer 'my sources/hot.c' -o hot

# share_is_near LINE PERCENT: among the samples of work, to four times what chance makes of so many looks, and a bit.
share_is_near()
{
	expect 0 "$HOTPATH" report --lines=work --format json report
	cp stdout lines
	jq -e "(.lines[] | select(.line == $1).samples) as \$here | [.lines[].samples] | add as \$all |
		\$here * 100 / \$all - $2 | fabs < 2 + 175 / ($looks | sqrt)" lines > /dev/null || fail "line $1: $(cat lines)"
}

sampled perf ./hot
looks=$(jq .functions_cpu.looks report)
expect 0 "$HOTPATH" report --save saved report
mv saved report
share_is_near 14 75
share_is_near 15 25
[ "$(jq -c '[.type, .name, .samples == .inclusive_samples,
	(.lines[0] | .file, .function, .source, (.module | endswith("/hot")))]' lines)" = \
	'["hotpath_lines","work",true,"my sources/hot.c","work","        for (unsigned long j = 0; j < 6000; j++) x = 98765432109876 / (x | 1) + j;",true]' ] ||
	fail "json: $(cat lines)"

# The hottest are marked; texts do no harm, are cut at the width, and have the lines around them.
cd /
expect 0 "$HOTPATH" report --lines=work "$work/report"
cd "$work"
quiet stderr
grep -qE '^> +[0-9]+ .* 14          for \(unsigned long j = 0; j < 6000; j\+\+\) x = 98765432109876 / \(x \| 1\) \+ j;$' stdout || fail "text: $(cat stdout)"
says '/* ?[31m */' stdout
grep -qE '^ +13  \{$' stdout || fail "around: $(cat stdout)"
# A line that calls has the time of its calls; what is inlined has lines of its own.
expect 0 "$HOTPATH" report --lines=main report
grep -qE '^> .*[0-9.]+ m?s +22                  kept = work\(kept\);$' stdout || fail "a call: $(cat stdout)"
says 'Line  more (in main), hot.c' stdout
expect 0 "$HOTPATH" report --lines=more report
grep -qE '^> .* 8                  toggle\(j\);$' stdout || fail "inlined: $(cat stdout)"
says 'Line  toggle (in main), hot.c' stdout
cp stdout by_name
expect 0 "$HOTPATH" report --lines='more (in main)' report
[ "$(sed 1d stdout)" = "$(sed 1d by_name)" ] || fail "by both names: $(cat stdout)"
# Its callers have one of both names.
expect 0 "$HOTPATH" report --callers='more (in main)' report
cp stdout by_name
expect 0 "$HOTPATH" report --callers more report
cmp -s stdout by_name || fail "callers by both names: $(cat stdout)"

# The whole program; the hottest line first.
expect 0 "$HOTPATH" report --lines report
grep -A 3 Samples stdout | grep -q '| hot.c:14 *| work ' || fail "program: $(cat stdout)"
expect 0 "$HOTPATH" report --lines --limit 1 report
[ "$(grep -c '| hot.c:' stdout)" = 1 ] || fail "limit: $(cat stdout)"

# The tooltips of a flame graph tell them, too.
expect 0 "$HOTPATH" export -o graph.svg report
grep -A 4 '<title>work$' graph.svg | grep -qE '^hottest lines: 14 \([678].*%\), 15 \(' || fail "tooltip: $(grep -A 4 '<title>work' graph.svg)"

# A source that has changed; that is elsewhere; that is gone.
touch 'my sources/hot.c'
expect 0 "$HOTPATH" report --lines=work report
says 'The text may differ: hot.c was modified after the program was built.' stdout
mv 'my sources' moved
expect 0 "$HOTPATH" report --lines=work report
grep -qE '^> .* 14  hot.c:14$' stdout || fail "gone: $(cat stdout)"
cd moved
expect 0 "$HOTPATH" report --lines=work ../report
cd ..
says '(x | 1) + j;' stdout

# A program without line information: instructions are shown, if it is still there.
objcopy -g hot bare
sampled perf ./bare
expect 0 "$HOTPATH" report --save bare.json report
expect 0 "$HOTPATH" report --lines=work bare.json
grep -qE '^> .*   work\+0x[0-9a-f]+$' stdout || fail "offsets: $(cat stdout)"
says 'Its lines are not known, because there is no debug information (-g)' stdout
rm bare
expect 0 "$HOTPATH" report --lines=work bare.json
grep -qE '^> .*   bare\+0x[0-9a-f]+$' stdout || fail "addresses: $(cat stdout)"

refuse 1 "no function is named 'wrk'; did you mean 'work'?" "$HOTPATH" report --lines=wrk bare.json
refuse 2 "there is no file 'work'; a function is named as in --lines=work" "$HOTPATH" report --lines work
echo '{"type": "hotpath_report", "schema": 1, "program": "p", "caller": "main", "elapsed_ns": 1000,
"functions_timing": {"data": [{"name": "main", "kind": "main", "calls": 1, "total_ns": 1000, "histogram": [[1000, 1]]}]}}' > none
refuse 1 'no stack was sampled' "$HOTPATH" report --lines none

exit "$failed"
