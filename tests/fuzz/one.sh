#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzzes with one target that was built.
#
# usage: tests/fuzz/one.sh FOLDER TARGET OPTION...    options of libFuzzer, and folders in front of that of the seeds
#
# An input that fails is left in the current folder as failed-TARGET-*.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fuzz/targets.sh
. "$here/targets.sh"
build=$1 target=$2
shift 2

case $target in
segment) set -- -max_len=131072 -len_control=0 "$@" ;;
segment_fields) set -- -max_len=256 "$@" ;;
saved) set -- -max_len=16384 "-dict=$here/saved.dict" "$@" ;;
compare) set -- -max_len=32768 "-dict=$here/saved.dict" "$@" ;;
elf) set -- -max_len=16384 "$@" ;;
unwind) set -- -max_len=4096 "$@" ;;
mcp) set -- -max_len=4096 "-dict=$here/mcp.dict" "$@" ;;
request) set -- -max_len=8192 "$@" ;;
esac
exec "$build/$target" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 -print_final_stats=1 \
	-artifact_prefix="failed-$target-" "$@" "$build/seeds/$target"
