# SPDX-License-Identifier: MIT
# Prints what zsh offers for each command line on standard input, in a line of its own.
#
# usage: zsh -f zsh_offers.zsh FOLDER     the folder of _hotpath
#
# Completion works only in a line that is being edited. So a second zsh edits them, in a pseudo terminal; its compadd, which
# all functions for completion call in the end, writes down what it is given.
zmodload zsh/zpty || exit
export TERM=vt100 completions=$1 work
work=$(mktemp -d) || exit
trap 'rm -rf $work' EXIT

cat > $work/editor << 'EOF'
fpath=($completions $fpath)
autoload -Uz compinit
compinit -D -u
compadd()
{
	local -a matches
	# A call that only sets arrays offers nothing.
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -A matches "$@"
		printf '%s ' $matches >> $work/offered
	fi
	builtin compadd "$@"
}
offer()
{
	_main_complete
	compstate[insert]= compstate[list]=
	print OFFERED
}
zle -C offer complete-word offer
bindkey '^I' offer
print READY
EOF

zpty editor zsh -f -i
zpty -w editor 'source $work/editor'
zpty -r editor screen '*READY*'
while IFS= read -r line; do
	: > $work/offered
	# Ctrl-U empties the line first.
	zpty -w -n editor $'\C-U'$line$'\t'
	zpty -r editor screen '*OFFERED*'
	print -r -- $(< $work/offered)
done
zpty -d editor
