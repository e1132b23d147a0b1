# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced first: the test goes on in a mount namespace that ends with it, or is skipped where that may not be.
if [ "${1-}" != mounted ]; then
	own=$([ "$(id -u)" = 0 ] && echo -m || echo -rm)
	unshare "$own" sh -c 'mount -t tmpfs none /mnt' 2> /dev/null || {
		echo 'skipped: a file system of its own may not be mounted here'
		exit 77
	}
	exec unshare "$own" "$0" mounted
fi
