#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the packages that building and testing need; silent when nothing is missing.
#
# usage: tools/setup.sh [build]     build: only what building needs
set -eu

# Debian package, what needs it, how other systems are asked for it (a command, a header or a
# pkg-config module, - for nothing), and why.
packages='
gcc                   build  gcc                    compiles everything
libc6-dev             build  stdio.h                the C library
make                  build  make                   the front door
meson                 build  meson                  describes the build
ninja-build           build  ninja                  runs it
pkg-config            build  pkg-config             finds libraries
python3               build  python3                runs Meson and the small tools
libjson-c-dev         build  pkg-config:json-c      the tool reads saved reports with it
libdw-dev             build  pkg-config:libdw       the tool finds lines of source with it
zlib1g-dev            build  pkg-config:zlib        the tool compresses what it exports with it
libncurses-dev        build  pkg-config:ncursesw    the console of the tool
libevent-dev          build  pkg-config:libevent_extra  its headers, for the server of the tool; memcached
g++                   build  g++                    the tool reads C++ names with its library; tests
libglib2.0-dev        build  pkg-config:gio-2.0     its headers, for the probe of GLib; examples, tests
libuv1-dev            build  pkg-config:libuv       the probe for it; without it that is left out
scdoc                 build  scdoc                  man pages
libcmocka-dev         build  pkg-config:cmocka      unit tests, built with the rest
clang                 check  clang                  the second compiler; sanitizers, fuzzing
libclang-rt-14-dev    check  -                      the runtime of those
clang-format          check  clang-format           how source looks
clang-tidy            check  clang-tidy             static analysis
jq                    check  jq                     tests read JSON with it
strace                check  strace                 an oracle for input and output
sqlite3               check  sqlite3                a program that reads and writes
xz-utils              check  xz                     a program that computes, which tests attach to
cmake                 check  cmake                  a user of the installed library
ccache                check  ccache                 a user of hotpath cc
autoconf              check  autoconf               another
automake              check  automake               and another
libtool               check  libtoolize             and one more
btrfs-progs           check  mkfs.btrfs             a file system on which a full disk is worse than on others
musl-tools            check  musl-gcc               the recorder with another C library
util-linux            check  unshare                namespaces and limits of programs that are attacked
mount                 check  mount                  file systems of theirs
e2fsprogs             check  -                      one of these
libc6-i386            check  -                      programs of 32 bits, which a measured one may start
gcc-aarch64-linux-gnu check  aarch64-linux-gnu-gcc  sleds and stacks of another processor
g++-aarch64-linux-gnu check  aarch64-linux-gnu-g++  in C++, too
libc6-dev-arm64-cross check  -                      the C library of that
qemu-user             check  qemu-aarch64           executes it
qemu-system-arm       check  qemu-system-aarch64    and a whole machine of it, with a kernel
valgrind              check  valgrind               an oracle for counts; memory errors
libc6-dbg             check  -                      names valgrind needs
gdb                   check  gdb                    an oracle for stacks
heaptrack             check  heaptrack              another oracle, for allocations; what others take: make bench
zstd                  check  zstd                   reads what that writes
libjemalloc2          check  -                      an allocator that programs may bring
libmimalloc2.0        check  -                      another
libtcmalloc-minimal4  check  -                      and one more
uftrace               check  uftrace                what others take for the same: make bench
linux-perf            check  perf                   an oracle for CPU time, and what others take
libgoogle-perftools4  check  -                      what others take: make bench
debuginfod            check  debuginfod             a server of debug files, and with it the library of clients
dpkg-dev              check  -                      unpacks the programs that tests build
tcl                   check  -                      and another this
prometheus            check  promtool               reads metrics, and scrapes them; tests start it themselves
python3-prometheus-client check  -                  the parser of OpenMetrics
golang-go             check  go                     go tool pprof reads what is exported
curl                  check  curl                   asks the server
chromium              check  chromium               shows the flame graph, and speedscope
tmux                  check  tmux                   the terminal that the console is tested in
fonts-dejavu-core     check  -                      its letters, in pictures
zsh                   check  zsh                    a shell that completions are tested in
fish                  check  fish                   another
mandoc                check  mandoc                 checks man pages
shellcheck            check  shellcheck             checks scripts
codespell             check  codespell              checks spelling
'

# Other processors than x86-64 may not execute its 32-bit programs; and they have no such compiler for aarch64, or are that.
is_for_this_processor()
{
	case $1 in
	libc6-i386 | gcc-aarch64-linux-gnu | g++-aarch64-linux-gnu | libc6-dev-arm64-cross | qemu-user | qemu-system-arm) [ "$(uname -m)" = x86_64 ] ;;
	esac
}

# wanted: "package probe" for every line of the list that is asked for.
wanted()
{
	echo "$packages" | while read -r package purpose probe _; do
		[ -n "$package" ] || continue
		[ "$purpose" = build ] || [ "$what" = all ] || continue
		! is_for_this_processor "$package" || echo "$package $probe"
	done
}

missing_packages()
{
	wanted | cut -d ' ' -f 1 | sort > "$work/wanted"
	# shellcheck disable=SC2046
	dpkg-query -W -f '${db:Status-Status} ${Package}\n' $(cat "$work/wanted") 2> /dev/null |
		sed -n 's/^installed //p' | sort -u > "$work/installed"
	comm -23 "$work/wanted" "$work/installed" | tr '\n' ' '
}

has()
{
	case $1 in
	-) true ;;
	pkg-config:*) pkg-config --exists "${1#pkg-config:}" 2> /dev/null ;;
	*.h) echo "#include <$1>" | cc -E -o /dev/null - 2> /dev/null ;;
	*) command -v "$1" > /dev/null ;;
	esac
}

missing_commands()
{
	wanted | while read -r _ probe; do
		has "$probe" || printf '%s ' "${probe#pkg-config:}"
	done
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

can_be_root()
{
	[ "$(id -u)" = 0 ] && return
	command -v sudo > /dev/null || return
	sudo -n true 2> /dev/null || [ -t 0 ]
}

install_packages()
{
	if ! can_be_root; then
		echo "These packages are needed: $*" >&2
		echo "Install them with: sudo apt-get update && sudo apt-get install -y $*" >&2
		exit 1
	fi
	echo "Installing: $*"
	as_root apt-get -q -q -o DPkg::Lock::Timeout=300 update
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -q -o DPkg::Lock::Timeout=300 \
		install -y --no-install-recommends "$@" > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 1
	}
}

# Programs of npm that read what is exported or check workflows, in the versions that were chosen. Without them tests are skipped.
install_consumers()
{
	folder=$(dirname "$0")/../tests/consumers
	! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed.json" || return 0
	# Other sources of npm than Debian's have no package of that name.
	command -v npm > /dev/null || ! command -v apt-get > /dev/null || install_packages npm
	echo "Installing: $(sed -n 's|^ *"\(.*\)": "[0-9][-.a-z0-9]*",*$|\1|p' "$folder/package.json" | tr '\n' ' ')"
	if npm --prefix "$folder" ci --ignore-scripts --no-audit --no-fund > "$work/log" 2>&1; then
		cp "$folder/package-lock.json" "$folder/node_modules/installed.json"
	else
		echo "npm could not; tests that need them are skipped: $(grep -m 1 npm "$work/log")" >&2
	fi
}

# A kernel for the emulated machine, outside of the repository. Without it tests are skipped.
install_kernel()
{
	script=$(dirname "$0")/aarch64_kernel.sh
	[ "$(uname -m)" = x86_64 ] && command -v apt-get > /dev/null && [ -z "$("$script")" ] || return 0
	echo 'Downloading: a Linux kernel for aarch64'
	"$script" download > /dev/null || echo 'Tests in an emulated machine are skipped.' >&2
}

case ${1-} in
'') what=all ;;
build) what=build ;;
*)
	echo "usage: $0 [build]" >&2
	exit 2
	;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if command -v dpkg-query > /dev/null && command -v apt-get > /dev/null; then
	missing=$(missing_packages)
	# shellcheck disable=SC2086
	[ -z "$missing" ] || install_packages $missing
else
	missing=$(missing_commands)
	[ -z "$missing" ] || {
		echo "Not found, please install: $missing" >&2
		exit 1
	}
fi
[ "$what" = build ] || {
	install_consumers
	install_kernel
}
