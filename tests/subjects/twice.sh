#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds a program that nobody here wrote twice, for benchmarks: as its authors do, and with nothing but CC changed.
#
# usage: twice.sh lua|zstd|sqlite|redis FOLDER     leaves FOLDER/plain and FOLDER/sleds, and the plain clients of a server. Where
#                                                  the source cannot be had, it says so and exits with 77.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"

# Each makes $program in the folder it is given: NAME_in FOLDER COMPILER.
lua_in() { make -C "$1" linux ALL=lua CC="$2" && program=src/lua; }
zstd_in() { make -C "$1/programs" zstd CC="$2" ZSTD_LEGACY_SUPPORT=0 && program=programs/zstd; }
sqlite_in() { (cd "$1" && ./configure CC="$2" && make speedtest1) && program=speedtest1; }

redis_in()
{
	make -C "$1/src" redis-server redis-benchmark redis-cli MALLOC=libc CC="$2" && program=src/redis-server
	clients='src/redis-benchmark src/redis-cli'
}

# twice PACKAGE NAME FOLDER: both at once, since one source file may be most of a program.
twice()
{
	unpack "$1" plain sleds
	("$2_in" "$work/plain" gcc > "$work/plain.log" 2>&1) &
	plain=$!
	build "$2_in" "$work/sleds" "$hotpath_cc"
	wait "$plain" || {
		tail -n 30 "$work/plain.log"
		echo "FAILED: the plain $2"
		exit 1
	}
	mkdir -p "$3"
	for kind in plain sleds; do
		cp "$work/$kind/$program" "$3/$kind"
	done
	for client in $clients; do
		cp "$work/plain/$client" "$3"
	done
}

clients=
case $1 in
lua) twice lua5.4 lua "$2" ;;
zstd) twice libzstd zstd "$2" ;;
sqlite)
	command -v tclsh > /dev/null || skip 'tclsh is not installed'
	twice sqlite3 sqlite "$2"
	;;
redis) twice redis redis "$2" ;;
*) exit 2 ;;
esac

exit "$failed"
