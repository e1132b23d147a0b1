#!/bin/sh
# SPDX-License-Identifier: MIT
# The stacks from which programs allocate that nobody here built are those of heaptrack, with as many bytes.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/../integration/expect.sh"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/stacks_common.sh"

jq -n '[range(300) | {n: ., text: "\(.)", more: [range(. % 7)]}]' > "$work/input"
same_stacks jq 'map(select(.n % 3 == 0) | .text + (.more | map(. * 2) | tostring)) | sort | join(",")' "$work/input"
same_stacks sqlite3 :memory: 'create table t(a, b); create index i on t(b);
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 5000) insert into t select x, x % 97 from c;
	select b, count(*), group_concat(a) from t group by b order by 2'

exit "$failed"
