#!/bin/sh
# SPDX-License-Identifier: MIT
# What users say of a run, which commit it is and which CI it was made by: in reports, saved, merged and compared.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

basic=$BUILD/examples/basic
unset GITHUB_ACTIONS GITLAB_CI

# has FILE FILTER
has() { jq -e "$2" "$1" > /dev/null || fail "not so: $2: $(head -c 600 "$1")"; }

# By itself, sorted by key; and to whoever looks later.
HOTPATH_USER_METADATA='size=3,build=fast = yes' expect 0 "$basic"
says 'user-metadata - What HOTPATH_USER_METADATA says about this run.' "$work/stderr"
sed -n '/^user-metadata/,$p' "$work/stderr" | grep '^|' > "$work/rows"
cat > "$work/expected" << END
| Key   | Value      |
| build | fast = yes |
| size  | 3          |
END
diff "$work/expected" "$work/rows" || fail 'the table is another'
expect 0 "$HOTPATH" report --format json
has "$work/stdout" '.user_metadata == {"build": "fast = yes", "size": "3"}'

# A bad value is one line, and ignored.
for bad in size '=3' 'a=1,b' 'a=1,,b=2' 'a=1,' ','; do
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH=$work/out.json HOTPATH_USER_METADATA=$bad expect 0 "$basic"
	says "HOTPATH_USER_METADATA: '$bad' is not a list such as k=v,k=v; the default is used" "$work/stderr"
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "not one line: $(cat "$work/stderr")"
	has "$work/out.json" '.user_metadata == null'
done

# A work tree of git, and a CI.
mkdir -p "$work/tree/.git/refs/heads"
cd "$work/tree"
echo 'ref: refs/heads/main' > .git/HEAD
echo 0123456789abcdef0123456789abcdef01234567 > .git/refs/heads/main
HOTPATH_USER_METADATA=size=3 GITLAB_CI=true CI_PIPELINE_ID=42 CI_MERGE_REQUEST_IID=7 \
	expect 0 "$HOTPATH" run --no-cpu --format json -o "$work/base.json" sh -c "$basic; $basic"
has "$work/base.json" '.meta == {"git": {"sha": "0123456789abcdef0123456789abcdef01234567", "ref": "refs/heads/main"},
	"ci": {"provider": "gitlab", "run_id": "42", "pull_request": {"number": "7"}}}'
has "$work/base.json" '.processes == 3 and .user_metadata == {"size": "3"}'

# Loaded and saved it is the same.
expect 0 "$HOTPATH" report "$work/base.json" --format json
has "$work/stdout" '.meta.ci.pull_request.number == "7" and .user_metadata.size == "3"'
expect 0 "$HOTPATH" report --save "$work/saved.json"
has "$work/saved.json" '.user_metadata.size == "3" and .meta.git.ref == "refs/heads/main"'
expect 0 "$HOTPATH" report "$work/saved.json"
says '| size | 3     |' "$work/stdout"

# Compared, what differs is told.
echo fedcba9876543210fedcba9876543210fedcba98 > .git/refs/heads/main
HOTPATH_USER_METADATA=size=4 expect 0 "$HOTPATH" run --format json -o "$work/head.json" "$basic"
has "$work/head.json" '.meta == {"git": {"sha": "fedcba9876543210fedcba9876543210fedcba98", "ref": "refs/heads/main"}}'
"$HOTPATH" compare "$work/saved.json" "$work/head.json" > "$work/stdout" || true
says 'base is of commit 0123456789ab (refs/heads/main), head of fedcba987654 (refs/heads/main)' "$work/stdout"
says 'base has the metadata size=3, head size=4: they may have done different work' "$work/stdout"

# Damaged reports are refused.
for damage in '.meta = 7' '.meta.git.sha = 7' '.user_metadata = []' '.user_metadata.size = 3'; do
	jq "$damage" "$work/saved.json" > "$work/damaged.json"
	refuse 2 'damaged report' "$HOTPATH" report "$work/damaged.json"
done
exit "$failed"
