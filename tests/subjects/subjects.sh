#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that nobody here wrote, built by hotpath cc. To be sourced.
#
# Their sources are Debian's. They are downloaded once, into the build folder, and unpacked anew for each
# test. The system's apt is asked nothing and told nothing: it need not know of sources, and nobody need
# be root.
# shellcheck disable=SC1091,SC2034,SC2154
set -eu
. "$(dirname "$0")/../integration/expect.sh"

here=$(cd "$(dirname "$0")" && pwd)
hotpath_cc="$HOTPATH cc gcc"
downloads=$BUILD/subjects
# Calls are compared with those of other tools: each is timed, whatever that costs.
export HOTPATH_MAX_OVERHEAD=0

skip()
{
	echo "skipped: $*"
	exit 77
}

for tool in apt-get dpkg-source; do
	command -v "$tool" > /dev/null || skip "$tool is not installed"
done

# Where the system has its packages from, asked for sources.
list_sources()
{
	mkdir -p "$downloads/apt/parts" "$downloads/apt/lists/partial" "$downloads/apt/cache"
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -e "$list" ] || sed -n 's/^deb[[:space:]]/deb-src /p' "$list"
	done > "$downloads/apt/sources.list"
	for list in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" > \
			"$downloads/apt/parts/${list##*/}"
	done
}

apt_sources()
{
	apt-get -q -q -o Dir::Etc::sourcelist="$downloads/apt/sources.list" \
		-o Dir::Etc::sourceparts="$downloads/apt/parts" \
		-o Dir::State::lists="$downloads/apt/lists" -o Dir::Cache="$downloads/apt/cache" \
		-o APT::Sandbox::User= -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

# download PACKAGE: with an index that may be missing, or so old that what it names is gone. One test after the other:
# apt waits for nobody.
download()
{
	mkdir -p "$downloads"
	exec 9> "$downloads/lock"
	flock 9
	list_sources
	rm -rf "$downloads/$1.new"
	mkdir "$downloads/$1.new"
	cd "$downloads/$1.new"
	apt_sources source --download-only "$1" > "$work/log" 2>&1 || {
		apt_sources update > "$work/log" 2>&1 || true
		apt_sources source --download-only "$1" >> "$work/log" 2>&1 ||
			skip "no source of $1: $(grep -m 1 '^[EW]: ' "$work/log")"
	}
	mv "$downloads/$1.new" "$downloads/$1"
	cd "$work"
	exec 9>&-
}

# unpack PACKAGE FOLDER...: as its authors released it, since Debian changes some builds to fit its own.
unpack()
{
	package=$1
	shift
	[ -d "$downloads/$package" ] || download "$package"
	for folder; do
		dpkg-source --no-check --no-copy --skip-patches -x "$downloads/$package"/*.dsc \
			"$work/$folder" > "$work/log" 2>&1 || {
			cat "$work/log"
			exit 1
		}
	done
}

# packages FOLDER PACKAGE...: what Debian has built, and what that needs and is not installed, unpacked into the build folder and
# not installed either: so no service is started. Sets $root to where it is.
packages()
{
	root=$downloads/$1
	shift
	[ -d "$root" ] || fetch_packages "$@"
	for folder in "$root"/usr/lib/*-linux-gnu; do
		[ ! -d "$folder" ] || export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	done
}

# fetch_packages PACKAGE...: into $root.
fetch_packages()
{
	mkdir -p "$downloads/apt/packages/archives/partial"
	exec 9> "$downloads/lock"
	flock 9
	rm -rf "$root.new" "$downloads"/apt/packages/archives/*.deb
	apt-get -q -q -o Dir::Cache="$downloads/apt/packages" -o Debug::NoLocking=1 -o APT::Sandbox::User= \
		-o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
		install -y --reinstall --no-install-recommends --download-only "$@" > "$work/log" 2>&1 ||
		skip "no package $*: $(grep -m 1 '^[EW]: ' "$work/log")"
	for package in "$downloads"/apt/packages/archives/*.deb; do
		dpkg-deb -x "$package" "$root.new"
	done
	mv "$root.new" "$root"
	exec 9>&-
}

# build COMMAND...: it succeeds, and we have nothing to say in between.
build()
{
	"$@" > "$work/log" 2>&1 || {
		tail -n 30 "$work/log"
		echo "FAILED: '$*'"
		exit 1
	}
	! grep '^hotpath:' "$work/log" || fail "'$*' made us talk"
}

# measure COMMAND...: with all its functions in $work/report.
measure()
{
	"$HOTPATH" run --no-cpu --format json --limit 0 -o "$work/report" -- "$@"
}

# toggled PREFIX COMMAND...: while all functions of programs whose paths begin so are armed and disarmed, a hundred times a second.
toggled()
{
	toggled_prefix=$1
	shift
	timeout -k 10 300 env -u HOTPATH_MAX_OVERHEAD "$here/toggle.py" "$toggled_prefix" 20 "$@" 2> "$work/toggled" || {
		tail -n 30 "$work/toggled" >&2
		fail "'$*' while it is armed and disarmed" >&2
	}
}

# reported FUNCTION...: these are in the report, and every function in it has a name.
reported()
{
	jq -r '.functions_timing.data[].name' "$work/report" > "$work/names"
	for name; do
		grep -qx "$name" "$work/names" || fail "$name is not reported"
	done
	# The compiler makes copies and parts of functions: name.constprop.0, name.part.0.
	! grep -Evx '[A-Za-z_][A-Za-z_0-9]*(\.(constprop|isra|part)\.[0-9]+)*' "$work/names" || fail 'functions without a proper name'
}

# same_calls PROGRAM ARGUMENT...: by callgrind's count and by ours. Functions that never return have no sleds: a test lists
# those as $endless.
#
# Callgrind sees machine code, in which a function that was inlined is no more; so do sleds, but not hooks: with these, a
# program is to be built with $nothing_inlined.
nothing_inlined='-O1 -fno-inline'
endless=
same_calls()
{
	expect 0 valgrind --tool=callgrind --dump-instr=yes --compress-pos=no \
		--callgrind-out-file="$work/callgrind.out" "$@"
	mv "$work/stdout" "$work/expected"
	expect 0 measure "$@"
	cmp "$work/expected" "$work/stdout" || fail "'$*' has other output"
	# shellcheck disable=SC2086
	"$here/../oracle/compare_calls.py" "$1" "$work/callgrind.out" "$work/report" -x $endless ||
		fail "'$*' has other calls"
}
