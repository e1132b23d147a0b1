#!/bin/sh
# SPDX-License-Identifier: MIT
# What locks are called, and who is said to wait for whom: the program knows it.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"
source=$(dirname "$0")/../programs/lock_holders.c
waits='[.lock_waits.data[] | [.name, .holder, .lock, .wait_sampled_count]]'
locks='[.locks.data[] | [.name, .lock_type, .instances, .acquired_count, .contended_count, .max_waiters]] | sort'

locked lock_holders mutex
equals '[["wait_mutex","keep_mutex","table_lock",1]]' "$waits"
equals '[["table_lock","mutex",1,2,1,1]]' "$locks"
equals null '.locks.data[0].location'
# Calls that the program measures, if there are any.
locked lock_holders measured
equals '[["measured_waiter","measured_keeper","table_lock",1]]' "$waits"
locked lock_holders write
equals '[["wait_read","keep_write","shared_lock",1]]' "$waits"
equals '[["shared_lock","rwlock read",1,1,1,1],["shared_lock","rwlock write",1,1,0,0]]' "$locks"
# There may be many readers.
locked lock_holders read
equals '[["wait_write","<readers>","shared_lock",1]]' "$waits"
locked lock_holders spin
equals '[["wait_spin","keep_spin","busy_lock",1]]' "$waits"

# In the heap: by the function that made it, and its line.
locked lock_holders heap
equals '[["open_account","mutex",10,11,1,1]]' "$locks"
equals "[$(grep -n 'the line of the heap' "$source" | cut -d: -f1),10]" '.locks.data[0] | [.location.line, .destroyed_instances]'
equals '[["wait_mutex","keep_mutex","open_account",1]]' "$waits"
expect 0 "$HOTPATH" run --waits --report locks,lock-waits -- "$programs/lock_holders" heap
says '| open_account | mutex |   10 |       11 |         1 |' "$work/stderr"
says "lock_holders.c:$(grep -n 'the line of the heap' "$source" | cut -d: -f1) |" "$work/stderr"
says '| wait_mutex | keep_mutex | open_account |     1 |' "$work/stderr"

# The name that the program gives; an array is one row.
locked lock_holders label
equals '[["table of customers","mutex",1,2,1,1]]' "$locks"
equals '[["wait_mutex","keep_mutex","table of customers",1]]' "$waits"
equals true '.locks.data[0].has_custom_label'
locked lock_holders 'long label'
equals '[["table of customers, their orders and…","mutex",1,2,1,1]]' "$locks"
locked lock_holders array
equals '[["shard_locks","mutex",8,80,0,0]]' "$locks"

# What is too much is counted.
locked lock_holders many
holds '.dropped.locks > 0 and .locks.data[0].acquired_count + .dropped.locks == 70000'

# Without symbols, a lock is where it was first locked; an address of a variable never stands alone.
strip -o "$work/stripped" "$programs/lock_holders"
expect 0 "$HOTPATH" run --waits --format json -o "$work/report" -- "$work/stripped" mutex
name=stripped
keeper=$(jq -r '.lock_waits.data[0].holder' "$work/report")
equals "\"$keeper\"" '.locks.data[0].name'
equals "\"$keeper\"" '.lock_waits.data[0].lock'

# Saved, loaded, and over two processes.
expect 0 "$HOTPATH" run --waits --format none -- "$programs/lock_holders" heap
expect 0 "$HOTPATH" report --save "$work/saved"
expect 0 "$HOTPATH" report --save "$work/again" "$work/saved"
[ "$(jq -c '.locks, .lock_waits' "$work/saved")" = "$(jq -c '.locks, .lock_waits' "$work/again")" ] ||
	fail "loaded: $(jq -c '.locks, .lock_waits' "$work/again")"
expect 0 "$HOTPATH" run --no-cpu --waits --format json -o "$work/report" -- sh -c "'$programs/lock_holders' mutex & \
	'$programs/lock_holders' write & '$programs/lock_holders' mutex; wait"
name=merged
equals '[["wait_mutex","keep_mutex","table_lock",2],["wait_read","keep_write","shared_lock",1]]' "$waits | sort"
holds '[.locks.data[] | select(.name == "table_lock") | .acquired_count, .instances] == [4, 2]'

exit "$failed"
