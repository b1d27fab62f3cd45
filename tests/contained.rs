//! Checks in namespaces of `check`'s own making, on this host: what they see, and real work in them.

use std::fs;

use serde_json::{Value, json};

use crate::real_work;
use crate::support::{Project, can_unshare, check_of, has_tool, not_tested};

/// Whether this host gives a check all but limits.
fn are_namespaces_here() -> bool {
    let here = can_unshare(&["-rmnp", "--fork"]);
    if !here {
        not_tested("no namespaces can be made here");
    }
    here
}

/// Runs the checks of `project` and gives the one of this id, which had all but limits.
#[track_caller]
fn contained(project: &Project, id: &str) -> Value {
    let (_, verdict) = project.json(&[]);
    let check = check_of(&verdict, id).clone();
    let isolation = &check["isolation"];
    for name in ["network", "home", "read_only"] {
        assert_eq!(isolation[name], true, "{name}: {check:#}");
    }
    check
}

#[track_caller]
fn assert_passes(project: &Project, argv: &[&str]) {
    project.check("work", argv);
    let check = contained(project, "work");
    assert_eq!(check["status"], "pass", "{check:#}");
}

#[test]
fn the_tree_is_there_and_what_is_beside_it_is_not() {
    if !are_namespaces_here() {
        return;
    }
    let project = Project::new();
    let beside = project.root().with_file_name("beside");
    fs::write(&beside, "x").unwrap();
    let script = format!(
        "cat {} 2>/dev/null; ls -A /tmp /root /home /run 2>/dev/null | grep canary;
         echo made > made; echo made > /tmp/made; echo made > ~/made; cat /var/tmp/made",
        beside.display()
    );
    project.check("look", &["sh", "-c", &script]);
    let check = contained(&project, "look");
    assert_eq!(check["stdout_tail"], "made\n", "{check:#}");
    assert!(project.path("made").exists());
    assert!(beside.exists());
    // Nothing of it is in the next run.
    project.check("look", &["sh", "-c", "ls /tmp ~ | grep made; true"]);
    assert_eq!(contained(&project, "look")["stdout_tail"], "");
}

#[test]
fn what_a_tree_is_judged_by_is_not_for_it_to_change() {
    if !are_namespaces_here() {
        return;
    }
    let project = Project::new();
    fs::create_dir_all(project.path(".check/baseline")).unwrap();
    fs::create_dir_all(project.path(".git/hooks")).unwrap();
    let script = "for f in .check/baseline/a.jsonl .git/hooks/pre-commit .git/config harness.json \
                  .git/check/last.json; do (echo >> $f) 2>/dev/null && echo wrote $f; done
                  mv .check away 2>/dev/null && echo moved; rm harness.json 2>/dev/null && echo removed; true";
    project.check("bar", &["sh", "-c", script]);
    let check = contained(&project, "bar");
    assert_eq!(check["stdout_tail"], "", "{check:#}");
    let (code, _) = project.json(&[]);
    assert_eq!(code, 0, "and the run is not spoilt");
}

#[test]
fn a_bar_that_is_not_there_is_not_for_the_tree_to_make() {
    if !are_namespaces_here() {
        return;
    }
    let project = Project::new();
    let hooks = project.path(".git/hooks");
    if hooks.exists() {
        fs::remove_dir_all(&hooks).unwrap();
    }
    let script = "for f in .check/baseline .git/hooks/pre-commit; do
                  mkdir -p $f 2>/dev/null && echo made $f; done; true";
    project.check("bar", &["sh", "-c", script]);
    let check = contained(&project, "bar");
    assert_eq!(check["stdout_tail"], "", "{check:#}");
    assert!(!project.path(".check").exists());
    let (code, _) = project.json(&[]);
    assert_eq!(code, 0, "and the run is not spoilt");
}

#[test]
fn a_check_has_the_hosts_network_only_where_it_asks_for_it() {
    if !are_namespaces_here() {
        return;
    }
    let project = Project::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("echo > /dev/tcp/127.0.0.1/{port}");
    project.checks(&json!([
        { "id": "none", "executable": "bash", "args": ["-c", script] },
        { "id": "open", "executable": "bash", "args": ["-c", script], "network": "host" },
    ]));
    let (_, verdict) = project.json(&[]);
    let [none, open] = ["none", "open"].map(|id| check_of(&verdict, id));
    assert_eq!(
        (&none["status"], &open["status"]),
        (&"fail".into(), &"pass".into())
    );
    let isolation = ["network", "home", "read_only"].map(|name| open["isolation"][name].clone());
    assert_eq!(isolation, [json!(false), json!(true), json!(true)]);
    let ran = project.run(["open"]);
    assert!(
        ran.stdout.contains("; host network: open"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_server_on_localhost_is_tested_as_anywhere() {
    if !are_namespaces_here() {
        return;
    }
    real_work::each(assert_passes);
}

#[test]
fn the_processes_of_a_check_are_all_that_it_sees() {
    if !are_namespaces_here() {
        return;
    }
    let project = Project::new();
    project.check(
        "look",
        &[
            "sh",
            "-c",
            "echo $$; kill -9 1; cat /proc/1/environ 2>/dev/null; cat /proc/1/comm",
        ],
    );
    let check = contained(&project, "look");
    assert_eq!(check["stdout_tail"], "2\ninit\n", "{check:#}");
}

/// The first network is another's when the second check starts, and its port is still taken in it.
#[test]
fn a_network_is_used_again_only_where_nothing_is_left_in_it() {
    if !are_namespaces_here() || !has_tool("python3") {
        return;
    }
    let project = Project::new();
    // The number of a namespace's file may be another's once it has ended; its cookie never is.
    project.write(
        "which.py",
        "import socket, sys\n\
         SO_NETNS_COOKIE = 71\n\
         with socket.socket() as one:\n\
         \x20   cookie = one.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)\n\
         print(int.from_bytes(cookie, sys.byteorder), flush=True)\n",
    );
    project.write(
        "serve.py",
        "import socket, which\n\
         server = socket.socket()\n\
         server.bind(('127.0.0.1', 45678))\n\
         server.listen()\n\
         client = socket.create_connection(('127.0.0.1', 45678))\n\
         one, _ = server.accept()\n\
         one.close()\n\
         client.recv(1)\n\
         client.close()\n",
    );
    let quiet = |id: &str| json!({ "id": id, "executable": "python3", "args": ["which.py"] });
    let serve = |id: &str| json!({ "id": id, "executable": "python3", "args": ["serve.py"] });
    project.checks(&json!([
        quiet("a"),
        quiet("b"),
        quiet("c"),
        quiet("d"),
        serve("e"),
        quiet("f"),
        serve("g"),
        quiet("h"),
        serve("i"),
        quiet("j"),
    ]));
    let (_, verdict) = project.json(&["-j", "1"]);
    let checks = verdict["checks"].as_array().unwrap();
    for check in checks {
        assert_eq!(check["status"], "pass", "{check:#}");
        assert_eq!(check["isolation"]["network"], true, "{check:#}");
    }
    let of = |id: &str| {
        check_of(&verdict, id)["stdout_tail"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let all: std::collections::HashSet<String> = ["a", "b", "c", "d"].into_iter().map(of).collect();
    // Only root can enter one again.
    assert_eq!(all.len() < 4, crate::support::is_root(), "{all:?}");
    let served: std::collections::HashSet<String> = ["e", "g", "i"].into_iter().map(of).collect();
    assert_eq!(served.len(), 3, "{served:?}");
}
