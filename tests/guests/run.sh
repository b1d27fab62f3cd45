#!/bin/bash
# In the guest, as root: every run leaves NAME.json, NAME.err and NAME.code in /out.
set -u
cp /in/check /usr/local/bin/check
ip link add outside type dummy && ip addr add 10.9.9.1/24 dev outside && ip link set outside up
ip link set lo up
/in/breakout serves 7777 @outside &
sleep 100000 &
outside=$!
echo canary > /home/tester/canary
echo canary > /root/canary
chmod 711 /root /home/tester
mkdir -p /root/private /home/tester/private /srv/own
echo file > /srv/own/file
chown -R tester: /home/tester/private /srv/own

# tree FOLDER HOME OWNER: a tree with the harness in it.
tree() {
    mkdir -p "$1"/.git/{hooks,refs,objects} "$1"/.check/baseline
    echo 'ref: refs/heads/main' > "$1/.git/HEAD"
    printf '[core]\n\trepositoryformatversion = 0\n' > "$1/.git/config"
    cp /in/breakout "$1/breakout"
    sed -e "s,@HOME@,$2,g" -e "s,@OUTSIDE@,$outside,g" /in/harness.json > "$1/harness.json"
    chown -R "$3" "$1"
}
tree /root/tree /root root:

# run NAME WORDS...: as root.
run() {
    local name=$1
    shift
    (cd /root/tree && exec timeout -k 5 150 env -i PATH="$PATH" HOME=/root SECRET=hunter2 \
        "${vars[@]}" check --json "$@") > "/out/$name.json" 2> "/out/$name.err"
    echo $? > "/out/$name.code"
    echo "$name: $(cat "/out/$name.code") at $(cut -d' ' -f1 /proc/uptime)"
}

# as_tester NAME WORDS...: as a user, with what is in `vars`.
as_tester() {
    local name=$1
    shift
    # What nothing held the last time is made good.
    rm -rf /home/tester/src
    echo canary > /home/tester/canary
    tree /home/tester/src/tree /home/tester tester:
    (cd /home/tester/src/tree && exec timeout -k 5 150 setpriv --reuid tester --regid tester \
        --init-groups env -i PATH="$PATH" HOME=/home/tester SECRET=hunter2 "${vars[@]}" \
        check --json "$@") > "/out/$name.json" 2> "/out/$name.err"
    echo $? > "/out/$name.code"
    echo "$name: $(cat "/out/$name.code") at $(cut -d' ' -f1 /proc/uptime)"
}

heavy=memory,memory-of-a-child,forks,cpu
session=(XDG_RUNTIME_DIR=/run/user/1000 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus)
until [ -S /run/user/1000/bus ]; do sleep 0.1; done
setpriv --reuid tester --regid tester --init-groups env "${session[@]}" \
    systemctl --user set-environment PLANTED=swordfish

vars=()
run root
run root-required --require-containment --only argv,home
run root-uncontained --uncontained --only argv,outlives

vars=("${session[@]}")
as_tester user
as_tester user-required --require-containment --only argv,home

# Less than all of it. Nothing may hang, and every word has to be true.
degraded=(--skip "$heavy")
vars=()
as_tester no-session "${degraded[@]}"
as_tester no-session-required --require-containment --only argv,home
vars=(XDG_RUNTIME_DIR=/root)
as_tester foreign-session "${degraded[@]}"
mkdir -p /tmp/empty && chown tester: /tmp/empty
vars=(XDG_RUNTIME_DIR=/tmp/empty)
as_tester no-bus "${degraded[@]}"
as_tester no-bus-required --require-containment
vars=("${session[@]}")
for setting in kernel.unprivileged_userns_clone user.max_user_namespaces user.max_net_namespaces; do
    before=$(sysctl -n "$setting") || continue
    sysctl -qw "$setting=0"
    as_tester "no-$setting" "${degraded[@]}"
    as_tester "no-$setting-required" --require-containment
    sysctl -qw "$setting=$before"
done

# `check` is killed without a word in the middle of a run.
cat > /home/tester/src/tree/slow.json <<'MANIFEST'
{"checks": [{"id": "slow", "executable": "sh", "args": ["-c", "setsid sleep 12345 & exec sleep 12345"]}]}
MANIFEST
chown tester: /home/tester/src/tree/slow.json
(cd /home/tester/src/tree && exec setpriv --reuid tester --regid tester --init-groups \
    env -i PATH="$PATH" HOME=/home/tester "${session[@]}" \
    check --manifest slow.json) > /dev/null 2>&1 &
until [ "$(pgrep -fc 'sleep 12345')" -ge 2 ]; do sleep 0.1; done
pkill -KILL -x check
begun=$(date +%s%N)
until ! pgrep -f 'sleep 12345' > /dev/null; do
    [ $(($(date +%s%N) - begun)) -lt 60000000000 ] || break
    sleep 0.02
done
echo $((($(date +%s%N) - begun) / 1000000)) > /out/killed.ms
sleep 1
{
    pgrep -af 'sleep 12345'
    setpriv --reuid tester --regid tester --init-groups env "${session[@]}" \
        systemctl --user list-units --all --plain --no-legend 'check-*'
    systemctl list-units --all --plain --no-legend 'check-*'
} > /out/killed.left
exit 0
