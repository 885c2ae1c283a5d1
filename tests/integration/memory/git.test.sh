# A run is one commit of its own paths, whatever state somebody's repository is in.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
git config --global init.defaultBranch main
serial=0

# carrel leaves no daemon here: every command starts what it needs and ends it.
at() { run "$1" -C "$project" "${@:2}"; }
field() { grep -o "\"$1\":\"[^\"]*\"" "$out" | head -n 1 | cut -d'"' -f4; }
g() { git -C "$repo" -c user.name=U -c user.email=u@example.com "$@"; }
intact() {
	git -C "$repo" fsck --strict --no-dangling >"$scratch/fsck" 2>&1 && [ ! -s "$scratch/fsck" ] ||
		{ fail "$1: git fsck"; cat "$scratch/fsck"; }
	[ -z "$(find "$(git -C "$repo" rev-parse --absolute-git-dir)" -name '*carrel*' -o -name '*.lock' | grep -v '/logs/')" ] ||
		fail "$1: something is left in .git"
}

# repository NAME [PREFIX] - a fresh one with a project of two pages, committed.
repository() {
	repo=$scratch/$1 project=$scratch/$1${2:+/$2}
	git init -q "$repo" && mkdir -p "$project" && run 0 init "$project"
	printf -- '---\nsummary: Revenue is net\n---\n\n# Net revenue\n\nNet revenue equals gross minus refunds.\n' >"$project/wiki/global/net-revenue.md"
	echo kept >"$repo/other"
	g add -A && g commit -qm first
}

# keep TEXT - ingest it; the commit, or nothing.
keep() {
	serial=$((serial + 1))
	printf 'Remember: %s Number %d.\n' "$1" "$serial" >"$scratch/note.md"
	at "${2:-0}" ingest text "$scratch/note.md" --json
	commit=$(field commitHash)
}

committed() { # what
	[ -n "$commit" ] && [ "$(g rev-parse HEAD)" = "$commit" ] || fail "$1: no commit at HEAD ($commit)"
	intact "$1"
}

refused() { # what, why: written, reported, nothing committed
	[ -z "$commit" ] || fail "$1: a commit was made"
	says '"status":"done"'
	says "not committed: "
	says "$2"
	[ "$(git -C "$repo" rev-parse HEAD 2>/dev/null)" = "$head" ] || fail "$1: HEAD moved"
	grep -qF "Number $serial." -r "$project/wiki/global" || fail "$1: the page was not written"
}

# The plain case, and who is the author.
repository plain
keep "# Churn

Churn means no order in a year."
committed plain
[ "$(g log -1 --format='%an <%ae>')" = "Carrel <carrel@localhost>" ] || fail "another author"
[ "$(g show --format= --name-only HEAD)" = "wiki/global/churn.md" ] || fail "other files were committed"
[ -z "$(g status --porcelain)" ] || fail "the tree is not clean: $(g status --porcelain)"
g log -1 --format=%B | finds "^Carrel-Run: $(field runId)$" || fail "the message does not name the run"
run_id=$(field runId)
before=$(g rev-parse HEAD~1:)
at 0 memory revert "$run_id" && says '"reverted":true'
[ "$(g rev-parse HEAD:)" = "$before" ] && [ -z "$(g status --porcelain)" ] || fail "a revert is not the tree before"
[ "$(g rev-list --count HEAD)" = 3 ] || fail "not one commit each"
intact revert

printf 'memory:\n  author: Ada Byron <ada@example.org>\n' >>"$project/carrel.yaml"
keep "# Author"
[ "$(g log -1 --format='%an <%ae>|%cn')" = "Ada Byron <ada@example.org>|Ada Byron" ] || fail "the configured author is not used"
g add -A && g commit -qm author
for bad in Ada 'Ada <a b>' '<a@b>' 'Ada <a@b> x'; do
	sed -i "s/^  author: .*/  author: $bad/" "$project/carrel.yaml"
	at 1 memory log && complains memory.author
done

# Somebody else's repository: staged, changed and new files of theirs stay as they are.
repository theirs deep/project
mkdir "$repo/src" && echo a >"$repo/src/a" && g add -A && g commit -qm src
echo staged >"$repo/src/a" && g add src/a && echo unstaged >>"$repo/src/a" && echo new >"$repo/new"
g rm -q --cached other
status=$(g status --porcelain)
keep "# Net revenue

It is in euros."
committed theirs
[ "$(g status --porcelain)" = "$status" ] || fail "their changes are not as they were: $(g status --porcelain)"
[ "$(g show --format= --name-only HEAD)" = "deep/project/wiki/global/net-revenue.md" ] || fail "other files were committed"
[ "$(g cat-file -p :src/a)" = staged ] || fail "what was staged changed"

# A page that they are editing: the commit has our part only, theirs is still uncommitted.
page=$project/wiki/global/net-revenue.md
sed -i 's/^Net revenue equals.*/Net revenue equals gross minus refunds and taxes./' "$page"
keep "# Net revenue

It is monthly."
committed editing
g show HEAD:deep/project/wiki/global/net-revenue.md | finds "It is monthly" || fail "our part is missing"
! g show HEAD:deep/project/wiki/global/net-revenue.md | finds "and taxes" || fail "their edit was committed"
grep -q "and taxes" "$page" && grep -q "It is monthly" "$page" || fail "the page lost something"
g diff -- "$page" | finds '^+Net revenue equals gross minus refunds and taxes' || fail "their edit no longer shows"
# The same staged: what they staged is still all that is staged.
g add "$page"
keep "# Net revenue

It is rounded."
committed staged
[ "$(g diff --cached --numstat -- "$page" | cut -f1,2)" = "1	1" ] || fail "their staged edit changed: $(g diff --cached -- "$page")"
[ -z "$(g diff -- "$page")" ] || fail "the page differs from the index"

# Line ends converted on the way in and out.
repository crlf
g config core.autocrlf true
rm "$repo/wiki/global/net-revenue.md" && g checkout -q -- wiki
keep "# Net revenue

It is in CRLF."
committed crlf
[ "$(g show HEAD --numstat --format= | cut -f2)" = 0 ] || fail "the whole page was rewritten: $(g show HEAD --stat)"

# No commit yet; no file of the project tracked; nested below an unborn one.
for prefix in "" sub/project; do
	repo=$scratch/unborn$serial project=$repo/$prefix
	git init -q "$repo" && mkdir -p "$project" && run 0 init "$project"
	keep "# Unborn"
	committed "unborn $prefix"
	[ "$(g rev-list --count HEAD)" = 1 ] || fail "not the first commit"
	[ "$(g ls-files)" = "${prefix:+$prefix/}wiki/global/unborn-number-$serial.md" ] || fail "other files were committed: $(g ls-files)"
done

# No repository at all: no commit, and no complaint.
repo=$scratch/none project=$scratch/none
run 0 init "$project"
keep "# None"
[ -z "$commit" ] || fail "a commit without a repository"
! grep -q "not committed" "$out" || fail "a project without a repository is told off"

# Ignored by the repository around it.
repository ignored project
echo 'project/wiki/' >"$repo/.gitignore" && g rm -rq --cached project/wiki && g add -A && g commit -qm ignore
head=$(g rev-parse HEAD)
keep "# Ignored"
refused ignored ".gitignore"

# In the middle of something.
repository busy
g switch -qc side && echo side >"$repo/other" && g commit -qam side && g switch -q main && echo main >"$repo/other" && g commit -qam main
g rebase -q side >/dev/null 2>&1
head=$(g rev-parse HEAD)
keep "# Rebase"
refused rebase "a rebase is in progress"
g rebase --abort
g merge -q side >/dev/null 2>&1
head=$(g rev-parse HEAD)
keep "# Merge"
refused merge "a merge is in progress"
g merge --abort
g checkout -q --detach
keep "# Detached"
refused detached "HEAD is detached"
g checkout -q main

# Locked, by somebody who does not let go and by somebody who does.
head=$(g rev-parse HEAD)
touch "$repo/.git/index.lock"
keep "# Locked"
refused locked "index.lock"
[ -e "$repo/.git/index.lock" ] || fail "somebody else's lock was taken away"
(asleep -x carrel-git; rm "$repo/.git/index.lock") &
keep "# Unlocked"
wait
committed unlocked
touch "$repo/.git/refs/heads/main.lock"
head=$(g rev-parse HEAD)
keep "# Branch locked"
refused "a locked branch" "locked the branch"
rm "$repo/.git/refs/heads/main.lock"
g status --porcelain | finds '^.. wiki' || fail "what was not committed does not show"

# Packed references, packed objects, a branch with a slash.
g add -A && g commit -qm all && g switch -qc team/memory && g gc -q && [ ! -e "$repo/.git/refs/heads/team/memory" ] || fail "not packed"
keep "# Packed"
committed packed

# A linked working tree, a submodule.
g worktree add -q "$scratch/linked" -b linked
main=$repo
repo=$scratch/linked project=$scratch/linked
mkdir -p "$project/.carrel"
status=$(git -C "$main" status --porcelain)
keep "# Linked"
committed linked
[ "$(git -C "$main" status --porcelain)" = "$status" ] || fail "the main tree noticed"
outer=$scratch/outer
git init -q "$outer" && git -C "$outer" -c protocol.file.allow=always submodule --quiet add "$scratch/plain" sub
repo=$outer/sub project=$outer/sub
sed -i '/^memory:/,$d' "$project/carrel.yaml"
keep "# Submodule"
committed submodule

# What is no working tree of ours.
repository bare
g config core.bare true
head=$(git -C "$repo" rev-parse HEAD)
keep "# Bare"
refused bare "bare"
repository elsewhere
head=$(g rev-parse HEAD)
g config core.worktree "$scratch/plain"
keep "# Elsewhere"
g config --unset core.worktree 2>/dev/null || sed -i '/worktree/d' "$repo/.git/config"
refused elsewhere "core.worktree"
repository sha256
head=$(g rev-parse HEAD)
g config core.repositoryformatversion 1 && g config extensions.objectFormat sha256
keep "# Sha256"
g() { git -C "$repo" "$@"; }
sed -i '/extensions/d;/objectFormat/d' "$repo/.git/config"
refused sha256 "extension"
repo=$scratch/false project=$scratch/false
run 0 init "$project"
echo "gitdir: $scratch/plain/.git" >"$project/.git"
head=$(git -C "$repo" rev-parse HEAD)
keep "# False"
refused "a .git that points elsewhere" "does not lead to a repository"

# Not writable: only where we are not almighty anyway.
g() { git -C "$repo" -c user.name=U -c user.email=u@example.com "$@"; }
repository split
g update-index --split-index
head=$(g rev-parse HEAD)
keep "# Split"
refused split "index"

# A hostile repository: nothing of it is run, filtered or followed.
repository hostile
mark="$scratch/ran"
for hook in pre-commit post-commit commit-msg prepare-commit-msg post-index-change reference-transaction; do
	printf '#!/bin/sh\ntouch %s\n' "$mark" >"$repo/.git/hooks/$hook" && chmod +x "$repo/.git/hooks/$hook"
done
printf '* filter=evil diff=evil merge=evil text eol=crlf ident\n' >"$repo/.gitattributes"
cat >>"$repo/.git/config" <<-EOF
	[core]
		fsmonitor = touch $mark
		hooksPath = hooks
		sshCommand = touch $mark
		excludesFile = /etc/passwd
		alternateRefsCommand = touch $mark
	[filter "evil"]
		clean = touch $mark
		smudge = touch $mark
		process = touch $mark
		required = true
	[include]
		path = /dev/zero
	[includeIf "gitdir:/"]
		path = $scratch/evil
	[gpg]
		program = touch $mark
	[commit]
		gpgSign = true
	[user]
		name = Somebody
EOF
mkdir -p "$repo/.git/objects/info" && printf '/etc\n%s/nowhere\n' "$scratch" >"$repo/.git/objects/info/alternates"
keep "# Hostile \$(touch $mark)"
rm -rf "$repo/.git/hooks" "$repo/.git/objects/info/alternates" "$repo/.gitattributes"
sed -i '/fsmonitor/,$d' "$repo/.git/config"
committed hostile
[ ! -e "$mark" ] || fail "something of the repository was run"
[ "$(g log -1 --format=%an)" = Carrel ] || fail "the repository chose the author"

# A commit that is done leaves the memory process nothing to wake up for: a counter that nobody reads would keep it busy.
repository served
at 0 mcp start --port 0
keep "# Returns

Returns are refunded in full."
committed served
at 0 memory revert "$(field runId)" --json
daemon=$(tr -d ' \n' <"$project/.carrel/mcp.json" | sed -E 's/.*"pid":([0-9]+).*/\1/')
memory=$(pgrep -P "$daemon" carrel-memory)
[ -n "$memory" ] || fail "served: no memory process"
for _ in $(seq 50); do
	woken=$(grep -h '^eventfd-count' /proc/"$memory"/fdinfo/* | grep -v ' 0$')
	[ -z "$woken" ] && break
	sleep 0.1
done
[ -z "$woken" ] || fail "served: the memory process is woken up for nothing: $woken"
at 0 mcp stop
finish
