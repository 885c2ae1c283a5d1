# Three copies of a project and a bare repository: what one writes the others read; conflicts become proposed pages;
# the remote goes away and comes back; a sync is killed at any moment.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
git config --global init.defaultBranch main
g() { git -C "$scratch/$1" -c user.name=U -c user.email=u@example.com "${@:2}"; }
git init -q --bare "$scratch/hub.git"
git init -q "$scratch/north" && run 0 init "$scratch/north"
page() { # NODE NAME TEXT
	printf -- '---\nsummary: %s\nstatus: approved\n---\n\n# %s\n\n%s\n' "$2" "$2" "$3" >"$scratch/$1/wiki/global/$2.md"
}
page north revenue 'Revenue is net.'
printf 'sync: { remote: origin }\n' >>"$scratch/north/carrel.yaml"
g north add -A && g north commit -qm first && g north remote add origin "$scratch/hub.git"
sync() { run "$2" -C "$scratch/$1" sync --json; }
head_of() { g "$1" rev-parse HEAD; }

# The first one makes the branch; the others are clones.
sync north 0 && says '"pushed":true' && says '"pulled":false'
for node in south west; do git clone -q "$scratch/hub.git" "$scratch/$node" && mkdir -p "$scratch/$node/semantic-layer"; done
sync south 0 && says '"pushed":false' && says "\"revision\":\"$(head_of north)\""

# Written here, read there: notes that an agent keeps are commits.
printf 'Remember: refunds are paid within a week.\n' >"$scratch/note.md"
run 0 -C "$scratch/north" ingest text "$scratch/note.md" --json
sync north 0 && says '"pushed":true'
sync south 0 && says '"pulled":true'
[ "$(head_of north)" = "$(head_of south)" ] && grep -rqi 'refunds' "$scratch/south/wiki" || fail "south has not what north keeps"

# Both changed other pages: merged.  Edits that are not committed stay.
page north one 'From north.' && g north add -A && g north commit -qm one
page south two 'From south.' && g south add -A && g south commit -qm two
echo 'a note of mine' >"$scratch/south/mine"
sync north 0 && sync south 0 && says '"proposed":[]' && sync north 0
[ "$(head_of north)" = "$(head_of south)" ] && [ -s "$scratch/north/wiki/global/two.md" ] && [ -s "$scratch/south/wiki/global/one.md" ] &&
	[ -s "$scratch/south/mine" ] || fail "not merged"

# Both changed one page and one other file, and one took a page away: the remote's stay, south's are proposed.
page north revenue 'Revenue is gross.' && echo 'a: 1' >"$scratch/north/semantic-layer/x.yaml" && g north rm -q wiki/global/two.md
g north add -A && g north commit -qm gross
page south revenue 'Revenue is net of refunds.' && echo 'a: 2' >"$scratch/south/semantic-layer/x.yaml" && page south two 'From south, again.'
g south add -A && g south commit -qm net
sync north 0 && sync south 0 && says '"pulled":true' && says '"pushed":true'
says 'wiki/global/revenue-proposed-' && says 'wiki/global/x-proposed-' && says 'wiki/global/two-proposed-'
sync north 0 && sync west 0
for node in north south west; do
	grep -q 'Revenue is gross' "$scratch/$node/wiki/global/revenue.md" || fail "$node has not the remote's page"
	grep -q 'net of refunds' "$scratch/$node"/wiki/global/revenue-proposed-*.md && grep -q '^status: proposed' "$scratch/$node"/wiki/global/revenue-proposed-*.md &&
		! grep -q '^status: approved' "$scratch/$node"/wiki/global/revenue-proposed-*.md || fail "$node has not the proposed page"
	grep -q '^    a: 2' "$scratch/$node"/wiki/global/x-proposed-*.md && grep -q 'a: 1' "$scratch/$node/semantic-layer/x.yaml" || fail "$node: the other file"
	grep -q 'From south, again' "$scratch/$node"/wiki/global/two-proposed-*.md && [ ! -e "$scratch/$node/wiki/global/two.md" ] || fail "$node: the page that was taken away"
	[ -z "$(git -C "$scratch/$node" status --porcelain | grep -v '?? mine')" ] || fail "$node is not clean: $(git -C "$scratch/$node" status --porcelain)"
done
run 0 -C "$scratch/west" wiki list && says 'revenue-proposed'

# An edit that is not committed is not overwritten, and said.
page north one 'Changed at north.' && g north commit -qam more && sync north 0
echo edited >>"$scratch/south/wiki/global/one.md"
sync south 1 && complains one.md
grep -q edited "$scratch/south/wiki/global/one.md" || fail "an edit was lost"
g south checkout -q wiki/global/one.md && sync south 0

# Neither is a file that git ignores, nor a node's own state: a commit that brings either is refused and named.
echo ignored >>"$scratch/south/.git/info/exclude" && echo mine >"$scratch/south/ignored"
echo theirs >"$scratch/north/ignored" && g north add -f ignored && g north commit -qm ignored && sync north 0
sync south 1 && complains ignored && [ "$(cat "$scratch/south/ignored")" = mine ] || fail "an ignored file was lost"
rm "$scratch/south/ignored" && sync south 0
mkdir -p "$scratch/north/.carrel" && echo key >"$scratch/north/.carrel/planted" && g north add -f .carrel/planted
g north commit -qm state && sync north 0
sync south 1 && complains .carrel && [ ! -e "$scratch/south/.carrel/planted" ] || fail "a commit brought a node's state"
g north rm -q .carrel/planted && g north commit -qm 'no state' && sync north 0 && sync south 0
# What only the configuration says is on no page of the wiki.
sed -i 's/^sync:.*/& # hidden-one/' "$scratch/north/carrel.yaml" && g north commit -qam configured && sync north 0
sed -i 's/^sync:.*/& # hidden-two/' "$scratch/south/carrel.yaml" && g south commit -qam configured
sync south 0 && says 'carrel.yaml.proposed-' && ! grep -rq hidden-two "$scratch/south/wiki" || fail "the configuration is in the wiki"
sync north 0

# The remote is away, and there again; a terminal's controls in what it says do not reach ours.
mv "$scratch/hub.git" "$scratch/gone.git"
page west three 'From west.' && g west add -A && g west commit -qm three
sync west 1 && complains 'git fetch' && one_sentence
# Nor does one that says 300 MB of it cost memory: the end is kept, and quoted.
mkdir "$scratch/chatty" && printf '#!/bin/sh\nyes why | head -c 300000000 >&2; echo the last word >&2; exit 1\n' >"$scratch/chatty/git"
chmod +x "$scratch/chatty/git"
(ulimit -f 10000 && PATH=$scratch/chatty:$PATH "$carrel" -C "$scratch/west" sync >"$out" 2>"$err") && fail "a git that fails is taken for one that does not"
complains 'the last word' && one_sentence
mv "$scratch/gone.git" "$scratch/hub.git"
sync west 0 && says '"pushed":true'

# Somebody rewrites the remote's branch: what a node has of the old one is merged with the new one, and comes back.
sync north 0 && sync south 0 && sync west 0
old=$(head_of north)
git clone -q "$scratch/hub.git" "$scratch/forced" && g forced reset -q --hard HEAD~2
page forced forced 'Rewritten.' && g forced add -A && g forced commit -qm forced && g forced push -q --force
sync north 0 && says '"pulled":true' && says '"pushed":true' && sync south 0 && sync west 0
[ "$(head_of north)" = "$(head_of south)" ] && g south merge-base --is-ancestor "$old" HEAD && [ -s "$scratch/west/wiki/global/forced.md" ] ||
	fail "the rewritten branch: $(g south log --oneline -5)"

# Over SSH, with the account's key; a server that is not known is refused, and nothing is asked.
if bash "$SOURCE_DIR/tests/support/sshd.sh" start "$scratch/ssh" >/dev/null 2>&1; then
	trap 'bash "$SOURCE_DIR/tests/support/sshd.sh" stop "$scratch/ssh"; cleanup' EXIT
	cp "$scratch/west/carrel.yaml" "$scratch/west.yaml"
	sed -i "s|^sync:.*|sync: { remote: 'ssh://$(id -un)@127.0.0.1:$(cat "$scratch/ssh/port")$scratch/hub.git' }|" "$scratch/west/carrel.yaml"
	g west update-index --assume-unchanged carrel.yaml
	by_ssh() { g west config core.sshCommand "ssh -F none -i $scratch/ssh/id -o IdentitiesOnly=yes -o UserKnownHostsFile=$1"; }
	by_ssh "$scratch/ssh/nobody" && sync west 1 && complains 'Host key verification failed' && one_sentence
	by_ssh "$scratch/ssh/known_hosts"
	page west ssh 'By SSH.' && g west add wiki && g west commit -qm ssh
	sync west 0 && says '"pushed":true' && sync north 0 && sync south 0
	[ -s "$scratch/north/wiki/global/ssh.md" ] && [ "$(head_of west)" = "$(head_of north)" ] || fail "what west pushed by SSH is not there"
	bash "$SOURCE_DIR/tests/support/sshd.sh" stop "$scratch/ssh"
	sync west 1 && complains 'git fetch' && one_sentence
	cp "$scratch/west.yaml" "$scratch/west/carrel.yaml" && g west update-index --no-assume-unchanged carrel.yaml && g west config --unset core.sshCommand
fi

# Hooks of the repository do not run; what is no SSH and no directory is refused, as is a password.
printf '#!/bin/sh\ntouch "%s/hooked"\n' "$scratch" | tee "$scratch/south/.git/hooks/post-merge" >"$scratch/south/.git/hooks/pre-push"
chmod +x "$scratch/south/.git/hooks/"*
page south four 'From south.' && g south add -A && g south commit -qm four
sync south 0 && says '"pushed":true' && [ ! -e "$scratch/hooked" ] || fail "a hook ran"
for remote in https://localhost:1/x.git 'ext::sh -c "touch hooked"' --upload-pack=x; do
	sed -i "s|^sync:.*|sync: { remote: '$remote' }|" "$scratch/west/carrel.yaml"
	sync west 1
	[ -z "$(find "$scratch" -name hooked)" ] || fail "$remote ran something"
done
sed -i "s|^sync:.*|sync: { remote: 'ssh://u:secret@localhost/x.git' }|" "$scratch/west/carrel.yaml"
sync west 1 && complains 'password' && ! grep -q secret "$err" || fail "the password is shown"
g west checkout -q carrel.yaml
g west checkout -q -b other && sync west 1 && complains 'main is not checked out' && g west checkout -q main

# Killed at each step of a merge with conflicts, and at any moment: nothing is lost, and the next one goes on.
killed=$BIN_DIR/../faults/bin/carrel # with fault points, where that is built
[ -x "$killed" ] || killed=$carrel
contradict() {
	page north revenue "North says $1." && g north commit -qam "north $1"
	page south revenue "South says $1." && g south commit -qam "south $1"
}
goes_on() {
	for node in north south; do g $node reset -q --hard; done
	sync north 0 && sync south 0 && sync north 0
	[ "$(head_of north)" = "$(head_of south)" ] || fail "$1: they differ"
	for who in North South; do
		grep -q "$who says $1\." "$scratch"/north/wiki/global/revenue*.md || fail "$1: what $who said is lost"
	done
}
for step in merged forward push; do
	contradict "$step"
	sync north 0
	CARREL_FAULTS="sync.$step=kill" "$killed" -C "$scratch/south" sync >"$out" 2>&1
	code=$?
	[ "$killed" = "$carrel" ] || [ $code -gt 128 ] || fail "$step: not killed: $code"
	goes_on "$step"
done
for i in $(seq "${SYNC_KILLS:-1}"); do
	contradict "$i"
	"$carrel" -C "$scratch/north" sync >/dev/null 2>&1 &
	one=$!
	"$carrel" -C "$scratch/south" sync >/dev/null 2>&1 &
	other=$!
	sleep 0.0$((RANDOM % 10))
	kill -KILL $one $other 2>/dev/null
	wait $one $other 2>/dev/null
	sleep 0.2 # git processes of the killed ones end by themselves
	rm -f "$scratch"/{north,south}/.git/index.lock
	goes_on "$i"
done
git -C "$scratch/north" fsck --strict --no-dangling >"$scratch/fsck" 2>&1 && git -C "$scratch/hub.git" fsck --strict >>"$scratch/fsck" 2>&1 ||
	fail "fsck: $(cat "$scratch/fsck")"
finish
