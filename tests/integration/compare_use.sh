#!/bin/sh
# SPDX-License-Identifier: MIT
# The options of hotpath compare, and one line for each that is wrong.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
cd "$work"

# report FILE NANOSECONDS [CALLS]: a report of a program with one function.
report()
{
	cat > "$1" << END
{"type": "hotpath_report", "schema": 1, "version": "0.1.0", "program": "p", "caller": "main", "elapsed_ns": $2,
 "exit": {"clean": true, "status": 0, "signal": null, "running": false},
 "functions_timing": {"percentiles": [], "total_count": 2, "included_count": 2, "data": [
  {"name": "main", "kind": "main", "calls": 1, "total_ns": $2, "self_ns": 10, "sum_ns": $2, "min_ns": $2,
   "max_ns": $2, "caller": true, "histogram": [[$2, 1]]},
  {"name": "work", "kind": "function", "calls": ${3-10}, "total_ns": $2, "self_ns": $2, "sum_ns": $2, "min_ns": 5,
   "max_ns": $2, "histogram": [[$2, ${3-10}]]}]}}
END
}
report a.json 1000000
report b.json 1000000
report slow.json 9000000
report calls.json 1000000 11
compare() { "$HOTPATH" compare "$@"; }

# How the sides are named.
for way in 'a.json b.json' '--base a.json --head b.json' '--base=a.json --head=b.json' \
	'--head b.json --base a.json --format table' '--base a.json a.json --head b.json b.json b.json' \
	'--base a.json --base a.json --head b.json' '-- a.json b.json'; do
	# shellcheck disable=SC2086
	expect 0 compare $way
	quiet "$work/stderr"
	[ -s "$work/stdout" ] || fail "compare $way says nothing"
done
refuse 2 'compare: nothing to compare' compare
refuse 2 "nothing to compare with; use 'hotpath compare a.json HEAD'" compare a.json
refuse 2 "unexpected argument 'c'; for several reports per side, use --base a.json" compare a.json b.json c
refuse 2 "unexpected argument './b'; with --runs, quote each command: './a …'" compare --runs 3 ./a input ./b input
# What is to be run is not a report.
refuse 2 "'$BUILD/examples/basic' is a command, not a report; add '--runs 10' to run both sides" \
	compare "$BUILD/examples/basic" "$BUILD/examples/basic"
refuse 2 "'./a input' is a command" compare './a input' './b input'
cp a.json 'with a space.json'
chmod +x 'with a space.json'
expect 0 compare 'with a space.json' b.json
mkfifo pipe
cat a.json > pipe &
expect 0 compare pipe b.json
refuse 2 'no head given' compare --base a.json
refuse 2 'no head given' compare --base a.json b.json
refuse 2 'no base given' compare --head a.json
refuse 2 "unexpected argument 'a.json' in addition to --base and --head" compare a.json --base b.json
refuse 2 "'--base' needs a value" compare --base --head a.json
refuse 2 "'--head' needs a value" compare --base a.json --head
refuse 2 "'--head' needs a value" compare --base a.json --head -- b.json

# How it ends.
expect 1 compare a.json slow.json
quiet "$work/stderr"
expect 0 compare --fail-on none a.json slow.json
expect 0 compare --fail-on alloc a.json slow.json
expect 0 compare slow.json a.json
expect 0 compare --threshold 5000% a.json slow.json
expect 0 compare a.json calls.json
expect 1 compare --fail-on any a.json calls.json
refuse 2 "unknown value 'slowr'; did you mean 'slower'?" compare --fail-on slowr a.json b.json
refuse 2 "unknown value 'xyzzy'; choose from slower, alloc, any, none" compare --fail-on xyzzy a.json b.json

# Numbers.
for threshold in 0 5 5% '0.5 %' 10000; do
	expect 0 compare --threshold "$threshold" a.json b.json
done
for threshold in '' % five -5 5%% 1e3 10001 ' 5'; do
	refuse 2 "'$threshold' is not a percentage" compare "--threshold=$threshold" a.json b.json
done
refuse 2 "--min-share: '101' is not a percentage" compare --min-share 101 a.json b.json
for runs in 0 1001 -1 ten 1.5 ''; do
	refuse 2 "--runs: '$runs' is not a number from 1 to 1000" compare "--runs=$runs" true true
done
refuse 2 "--warmup: 'x' is not a number from 0 to 1000" compare --runs 1 --warmup x true true
refuse 2 "percentiles: '101' is not a number between 0 and 100" compare --percentiles 101 a.json b.json
expect 0 compare --percentiles 50,99 a.json b.json

# What to compare.
for list in timing program,timing all auto 'timing, alloc'; do
	expect 0 compare --report "$list" a.json b.json
done
refuse 2 "--report: unknown value 'timng'; did you mean 'timing'?" compare --report timng a.json b.json
refuse 2 "--report: unknown value 'timing-x'" compare --report timing,timing-x a.json b.json

# Only for programs that are run.
for option in --warmup=1 --all --alloc --alloc=count --cpu --no-cpu --rate=100 --probes=uv --show-output --ignore-failure --save=x; do
	refuse 2 "only applies to commands that are run; add --runs N" compare "$option" a.json b.json
done
[ ! -e x ] || fail "--save without --runs makes a folder"
refuse 2 "--base takes one command; quote it: './old x …'" compare --runs 2 --base ./old x --head ./new
refuse 2 "--head takes one command" compare --runs 2 --base ./old --head ./new x
refuse 2 "compare: --alloc: 'dead' is not live, freed or count" compare --runs 1 --alloc=dead true true
refuse 2 "compare: --rate: '0' is not a number" compare --runs 1 --rate=0 true true
refuse 2 "compare: --probes: unknown probe 'x'" compare --runs 1 --probes=x true true

# Formats, and where it goes.
expect 0 compare --format json --id 'one "two"' a.json b.json
python3 -c 'import json, sys; assert json.load(sys.stdin)["type"] == "hotpath_comparison"' < "$work/stdout" ||
	fail "--format json is no JSON"
expect 0 compare --format json-pretty a.json b.json
expect 0 compare --format markdown --id bench a.json b.json
says '<!--' "$work/stdout"
says bench "$work/stdout"
refuse 2 "--format: unknown value 'markdwn'; did you mean 'markdown'?" compare --format markdwn a.json b.json
refuse 2 "--format: unknown value 'none'" compare --format none a.json b.json
expect 1 compare -o out.txt a.json slow.json
quiet "$work/stdout"
says work out.txt
expect 0 compare -o - a.json b.json
[ -s "$work/stdout" ] || fail "-o - says nothing"
HOTPATH_OUTPUT_PATH=elsewhere HOTPATH_OUTPUT_FORMAT=json expect 0 compare a.json b.json
[ -s "$work/stdout" ] || fail "the environment of programs says where it goes"
[ ! -e elsewhere ] || fail "the environment of programs makes a file"
refuse 2 'No space left on device' compare -o /dev/full a.json b.json
refuse 2 'No such file' compare -o no/such a.json b.json

# Budgets: those that are named, else the usual ones, or none.
echo '{"budgets": [{"function": "work", "metric": "self", "limit": "2 ms"}]}' > limits.json
expect 0 compare --budget limits.json a.json b.json
expect 1 compare --budget limits.json --fail-on none a.json slow.json
mv limits.json hotpath-budget.json
expect 1 compare --fail-on none a.json slow.json
expect 0 compare --fail-on none --budget none a.json slow.json
refuse 2 'No such file' compare --budget limits.json a.json b.json
echo '{' > hotpath-budget.json
refuse 2 'hotpath-budget.json: ' compare a.json b.json
: > hotpath-budget.json
refuse 2 'hotpath-budget.json: ' compare a.json b.json
rm hotpath-budget.json
mkdir hotpath-budget.json
refuse 2 'Is a directory' compare a.json b.json
rmdir hotpath-budget.json

# Segments of programs, by file or process, in place of reports.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > /dev/null
segment=$(ls "$HOTPATH_DIR"/*.seg)
pid=$("$HOTPATH" list --json | python3 -c 'import json, sys
found = json.load(sys.stdin)
print((found if isinstance(found, list) else found["segments"])[0]["pid"])')
expect 0 compare "$segment" "$pid"
says custom_block "$work/stdout"
refuse 2 'no segment of process 999999999' compare "$segment" 999999999

exit "$failed"
