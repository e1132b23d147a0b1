#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds this hotpath and installs it to a folder of its own, unless a working one is there.
#
# usage: tools/ci/install.sh FOLDER
#        tools/ci/install.sh --key    prints a name for what would be built here: by the sources, system and machine
set -eu

[ $# = 1 ] || {
	echo "usage: tools/ci/install.sh FOLDER | --key" >&2
	exit 2
}
case $1 in
--key | /*) folder=$1 ;;
*) folder=$PWD/$1 ;;
esac
case $folder in
*[:[:blank:]]*)
	echo "install.sh: '$folder' has a blank or a colon in it: no library can be preloaded from there, choose another" >&2
	exit 2
	;;
esac
cd "$(dirname "$0")/../.."

key()
{
	system=$(sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release | tr -d '"' | tr '\n' '-')
	sources=$(find meson.build meson_options.txt include man packaging src completions tools -type f |
		LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c 1-32)
	echo "hotpath-$system$(uname -m)-$sources"
}

works() { "$folder/bin/hotpath" --version > /dev/null 2>&1; }

# quietly COMMAND...: what it prints is shown when it fails.
quietly()
{
	"$@" > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 1
	}
}

build()
{
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	quietly meson setup "$work/build" --prefix="$folder" --libdir=lib --buildtype=release \
		-Dtests=false -Dexamples=false
	quietly ninja -C "$work/build"
	quietly meson install -C "$work/build" --no-rebuild
}

if [ "$folder" = --key ]; then
	key
	exit
fi
# One that was kept from another job may lack only the libraries that it needs.
works || tools/setup.sh build
works || build
"$folder/bin/hotpath" --version
