#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the path of a Linux kernel for aarch64, which tests let an emulated machine boot; nothing if there is none.
#
# usage: tools/aarch64_kernel.sh [download]     download: get the newest one of Debian first, if there is none
#
# It is kept in the cache of the user. The system's apt is told nothing: it need not know of other processors.
set -eu

folder=${XDG_CACHE_HOME:-${HOME:?}/.cache}/hotpath
kernel=$folder/vmlinuz-aarch64

# arm64 COMMAND...: apt for that processor, with an index of its own.
arm64()
{
	tool=$1
	shift
	"$tool" -q -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$work/state" \
		-o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" -o APT::Sandbox::User= \
		-o Acquire::Languages=none -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

download()
{
	mkdir -p "$folder" "$work/state/lists/partial" "$work/cache/archives/partial" "$work/package"
	: > "$work/status"
	# Some of the system's sources may have nothing for that processor.
	arm64 apt-get update || :
	package=$(arm64 apt-cache depends linux-image-arm64 | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	cd "$work/package" &&
		arm64 apt-get download "${package:-linux-image-arm64}" &&
		dpkg-deb --fsys-tarfile ./*.deb | tar -x ./boot &&
		cp boot/vmlinuz-* "$kernel.new" &&
		mv "$kernel.new" "$kernel"
}

case ${1-} in
'') ;;
download)
	[ -e "$kernel" ] || {
		work=$(mktemp -d)
		trap 'rm -rf "$work"' EXIT
		download > "$work/log" 2>&1 || {
			echo "no Linux kernel for aarch64: $(grep -m 1 '^[EW]: ' "$work/log")" >&2
			exit 1
		}
	}
	;;
*)
	echo "usage: $0 [download]" >&2
	exit 2
	;;
esac
[ ! -e "$kernel" ] || echo "$kernel"
