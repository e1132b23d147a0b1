#!/bin/sh
# SPDX-License-Identifier: MIT
# A function's callers and callees, and functions that are not to be seen, of a report made by hand.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

saved=$work/saved.json
cat > "$saved" << 'END'
{"type": "hotpath_report", "schema": 1, "program": "p", "caller": "main", "elapsed_ns": 1000,
"functions_timing": {"data": [
	{"name": "main", "kind": "main", "calls": 1, "total_ns": 1000, "histogram": [[1000, 1]]},
	{"name": "work", "calls": 5, "total_ns": 700, "histogram": [[140, 5]]},
	{"name": "idle", "calls": 1, "total_ns": 1, "histogram": [[1, 1]]}]},
"call_tree": {"data": [
	{"name": "main", "kind": "main", "calls": 1, "total_ns": 1000, "self_ns": 300, "children": [
		{"name": "work", "calls": 3, "total_ns": 600, "self_ns": 600}]},
	{"name": "work", "calls": 2, "total_ns": 100, "self_ns": 100}]}}
END

expect 0 "$HOTPATH" report --callers work "$saved"
quiet "$work/stderr"
same 'Callers of work; 100 % is its 700 ns, of which 700 ns are its own.
+-------+--------+--------+---------+----------+
| Calls |  Total |   Self | % Total | Function |
+-------+--------+--------+---------+----------+
|     3 | 600 ns | 600 ns |  85.71% | main     |
|     2 | 100 ns | 100 ns |  14.29% | <none>   |
+-------+--------+--------+---------+----------+' "$work/stdout"
expect 0 "$HOTPATH" report --callees main --format json "$saved"
[ "$(jq -c '[.type, .name, .total_ns, (.callees[] | .name, .calls, .percent_total == 60)]' "$work/stdout")" = \
	'["hotpath_callees","main",1000,"work",3,true]' ] || fail "callees: $(cat "$work/stdout")"
expect 0 "$HOTPATH" report --callers main --callees work "$saved" -o "$work/both"
quiet "$work/stdout"
says 'Callers of main' "$work/both"
says 'It calls no measured function.' "$work/both"

refuse 1 "no function is named 'workk'; did you mean 'work'?" "$HOTPATH" report --callers workk "$saved"
refuse 1 "no function is named 'frobnicate'" "$HOTPATH" report --callees frobnicate "$saved"
refuse 1 "no call of 'idle' is in the call tree" "$HOTPATH" report --callees idle "$saved"
refuse 2 "'--callers' needs a value" "$HOTPATH" report "$saved" --callers

# Reports without a tree are what they were.
jq 'del(.call_tree)' "$saved" > "$work/old.json"
expect 0 "$HOTPATH" report "$work/old.json"
refuse 1 'no call tree was recorded' "$HOTPATH" report --callers work "$work/old.json"

# A function that is not measured has neighbours in the stacks that were sampled.
cat > "$work/sampled.json" << 'END'
{"type": "hotpath_report", "schema": 1, "program": "p", "caller": "p", "elapsed_ns": 1000,
"functions_cpu": {"total_samples": 10, "attributed_samples": 0, "own_samples": 0, "rate_hz": 1000, "source": "perf",
	"period_ns": 1000000, "looks": 10, "data": []},
"stacks": {"modules": [{"path": "/bin/p", "build_id": ""}], "threads": [{"name": "p", "tid": 1, "pid": 1, "samples": 10}],
	"frames": [{"kind": "code", "name": "read_all", "module": 0, "address": 16, "returns": false},
		{"kind": "code", "name": "parse", "module": 0, "address": 32, "returns": true},
		{"kind": "code", "name": "main", "module": 0, "address": 48, "returns": true}],
	"stacks": [{"thread": 0, "samples": 6, "whole": true, "frames": [0, 1, 2]},
		{"thread": 0, "samples": 3, "whole": true, "frames": [0, 2]},
		{"thread": 0, "samples": 1, "whole": false, "frames": [1]}]}}
END
expect 0 "$HOTPATH" report --callers read_all "$work/sampled.json"
quiet "$work/stderr"
same 'Callers of read_all, by samples; 100 % is its 9.00 ms of CPU time, of which 9.00 ms are its own.
+----------+---------+---------+----------+
| CPU time |    Self | % Total | Function |
+----------+---------+---------+----------+
|  6.00 ms | 6.00 ms |  66.67% | parse    |
|  3.00 ms | 3.00 ms |  33.33% | main     |
+----------+---------+---------+----------+' "$work/stdout"
expect 0 "$HOTPATH" report --callees main --format json "$work/sampled.json"
[ "$(jq -c '[.type, .inclusive_samples, .samples, (.callees[] | .name, .inclusive_samples, .samples)]' "$work/stdout")" = \
	'["hotpath_callees",9,0,"parse",6,0,"read_all",3,3]' ] || fail "callees by samples: $(cat "$work/stdout")"
refuse 1 "no function is named 'pars'; did you mean 'parse'?" "$HOTPATH" report --callers pars "$work/sampled.json"

# The probes of the profiler are no callers, and rows of CPU time without a stack have one that is not known.
jq '.functions_cpu.total_samples = 15 | .functions_cpu.kernel_samples = 2 |
	.stacks.frames += [{ "kind": "code", "name": "<hotpath>", "module": 0, "address": 64, "returns": true }] |
	.stacks.stacks += [{ "thread": 0, "samples": 3, "whole": true, "frames": [0, 3, 2] }]' "$work/sampled.json" > "$work/probed.json"
expect 0 "$HOTPATH" report --callers read_all --format json "$work/probed.json"
[ "$(jq -c '[.callers[] | .name, .inclusive_samples]' "$work/stdout")" = '["main",6,"parse",6]' ] ||
	fail "callers by way of a probe: $(cat "$work/stdout")"
expect 0 "$HOTPATH" report --callers '<kernel>' --callees '<kernel>' "$work/probed.json"
says 'Callers of <kernel>, by samples; 100 % is its 2.00 ms of CPU time' "$work/stdout"
says '|  2.00 ms | 2.00 ms | 100.00% | <unknown> |' "$work/stdout"
refuse 1 "no function is named '<loading>'" "$HOTPATH" report --callers '<loading>' "$work/probed.json"

# What is excluded is not there, in any form; what excludes nothing is one warning.
expect 0 "$HOTPATH" report --tree --exclude wor "$saved"
quiet "$work/stderr"
grep -q work "$work/stdout" && fail "excluded: $(cat "$work/stdout")"
says '| 1.00 µs | 900 ns | 100.00% | main' "$work/stdout"
expect 0 env HOTPATH_EXCLUDE=/^work/ "$HOTPATH" report --format json "$saved"
quiet "$work/stderr"
grep -q work "$work/stdout" && fail "excluded: $(cat "$work/stdout")"
expect 0 "$HOTPATH" report --exclude workk "$saved"
same "hotpath: --exclude 'workk' matches no function" "$work/stderr"
says '| work ' "$work/stdout"
expect 0 env HOTPATH_EXCLUDE=workk "$HOTPATH" report "$saved"
same "hotpath: HOTPATH_EXCLUDE 'workk' matches no function" "$work/stderr"
expect 0 env HOTPATH_EXCLUDE=workk "$HOTPATH" report --exclude= "$saved"
quiet "$work/stderr"
refuse 2 "--exclude: '/(/' is not a valid regular expression" "$HOTPATH" report --exclude '/(/' "$saved"

exit "$failed"
