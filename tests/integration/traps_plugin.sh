#!/bin/sh
# SPDX-License-Identifier: MIT
# A library that is opened and closed again and again has one row for each function, with every call.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

plugin=$programs/plugin.so

by_itself "$programs/plugin_host" "$plugin"
agrees
bounded 1
adds_up 1
nothing_lost
by_tool "$programs/plugin_host" "$plugin"
agrees
nothing_lost

# A program that knows nothing of hotpath: what its plugin measures is seen. It ends no operation.
by_tool "$programs/plugin_bare" "$plugin"
holds "\$row.plugin_work.calls == $(calls plugin_work)"
holds '$row.operation | .calls == 0 and .open == 100'
holds '$row | keys == ["operation", "plugin_work"]'
"$HOTPATH" list --clean > /dev/null
expect 0 "$programs/plugin_bare" "$plugin"
quiet "$work/stderr"
[ "$("$HOTPATH" list --json 2> /dev/null)" = '[]' ] || fail 'a segment of a program that nobody asked to record'

exit "$failed"
