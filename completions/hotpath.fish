# SPDX-License-Identifier: MIT
# Completion of hotpath for fish.

function __hotpath_pids
	hotpath list 2>/dev/null | awk 'NR > 1 { print $1 "\t" $2 " " $7 }'
end

set -l reports '__fish_seen_subcommand_from run report'

complete -c hotpath -f
complete -c hotpath -n __fish_use_subcommand -a run -d 'run a program and show its report'
complete -c hotpath -n __fish_use_subcommand -a cc -d 'run a compiler so that every function can be measured'
complete -c hotpath -n __fish_use_subcommand -a report -d 'show the report of a program'
complete -c hotpath -n __fish_use_subcommand -a list -d 'list the segments'
complete -c hotpath -n __fish_use_subcommand -a doctor -d 'tell what works on this machine'
complete -c hotpath -n __fish_use_subcommand -a help -d 'show the commands, or the help of one'
complete -c hotpath -n __fish_use_subcommand -s V -l version -d 'show the version'
complete -c hotpath -s h -l help -d 'show the help'

complete -c hotpath -n $reports -l format -x -a 'table json json-pretty none' -d 'form of the report'
complete -c hotpath -n $reports -s o -l output-path -r -F -d 'where the report goes'
complete -c hotpath -n $reports -l report -x -a 'auto all timing tree alloc alloc-bytes alloc-count live threads cpu bottlenecks' -d sections
complete -c hotpath -n $reports -l tree -d 'show the call tree too'
complete -c hotpath -n $reports -l limit -x -d 'rows of each section'
complete -c hotpath -n $reports -l timing-limit -x -d 'rows of the timing section'
complete -c hotpath -n $reports -l tree-limit -x -d 'rows of the call tree'
complete -c hotpath -n $reports -l alloc-limit -x -d 'rows of the sections about allocations'
complete -c hotpath -n $reports -l live-limit -x -d 'rows of the section about live blocks'
complete -c hotpath -n $reports -l threads-limit -x -d 'rows of the section about threads'
complete -c hotpath -n $reports -l cpu-limit -x -d 'rows of the sections about CPU time'
complete -c hotpath -n $reports -l percentiles -x -d 'numbers from 0 to 100'
complete -c hotpath -n $reports -l focus -x -d 'only functions with this in their name'
complete -c hotpath -n $reports -l exclude -x -d 'no functions with this in their name'
complete -c hotpath -n $reports -l sort -x -a 'function calls avg p50 p95 p99 total self min max temporary' -d 'column to sort by'
complete -c hotpath -n $reports -l time-exclusive -d 'time without measured calls inside'
complete -c hotpath -n $reports -l alloc-metric -x -a 'bytes count' -d 'what to show of allocations'
complete -c hotpath -n $reports -l cpu-inclusive -d 'CPU time with measured calls inside'
complete -c hotpath -n $reports -l alloc-cumulative -d 'allocations with measured calls inside'

complete -c hotpath -n '__fish_seen_subcommand_from run' -l alloc -a 'live freed count' -d 'show what is allocated too'
complete -c hotpath -n '__fish_seen_subcommand_from run' -l cpu -d 'show where CPU time goes too'
complete -c hotpath -n '__fish_seen_subcommand_from run' -l rate -x -d 'samples a second'
complete -c hotpath -n '__fish_seen_subcommand_from run' -l merge -d 'one report of all processes'
complete -c hotpath -n '__fish_seen_subcommand_from run' -a '(__fish_complete_subcommand --fcs-skip=2)'
complete -c hotpath -n '__fish_seen_subcommand_from cc' -l only -r -F -d 'measure only these functions or files'
complete -c hotpath -n '__fish_seen_subcommand_from cc' -l skip -r -F -d 'leave these functions or files out'
complete -c hotpath -n '__fish_seen_subcommand_from cc' -l min-size -x -d 'leave out functions with less machine code'
complete -c hotpath -n '__fish_seen_subcommand_from cc' -l alloc -d 'let a static program show what it allocates'
complete -c hotpath -n '__fish_seen_subcommand_from cc' -a '(__fish_complete_subcommand --fcs-skip=2)'
complete -c hotpath -n '__fish_seen_subcommand_from report' -l save -r -F -d 'keep the whole report in a file'
complete -c hotpath -n '__fish_seen_subcommand_from report' -l calls -x -d 'latest calls of a function'
complete -c hotpath -n '__fish_seen_subcommand_from report' -l callers -x -d 'who calls a function'
complete -c hotpath -n '__fish_seen_subcommand_from report' -l callees -x -d 'whom a function calls'
complete -c hotpath -n '__fish_seen_subcommand_from report' -F -a '(__hotpath_pids)'
complete -c hotpath -n '__fish_seen_subcommand_from list' -l clean -d 'remove those of ended processes'
complete -c hotpath -n '__fish_seen_subcommand_from list doctor' -l json -d 'print JSON'
complete -c hotpath -n '__fish_seen_subcommand_from help' -a 'run cc report list doctor help'
