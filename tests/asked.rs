//! What is asked for of containment, against what is there: every pair, on this host as it is and where
//! namespaces are refused. (Where everything is there, `guests` tries the same.)

use serde_json::{Value, json};

use crate::support::{Project, can_unshare, is_root, not_tested};

/// What may be asked for: words, what the manifest has beside its check, and whether an agent asks.
const ASKED: [(&str, &[&str], Option<&str>); 8] = [
    ("nothing", &[], None),
    ("required", &["--require-containment"], None),
    (
        "required by the manifest",
        &[],
        Some("checks_require_containment"),
    ),
    ("uncontained", &["--uncontained"], None),
    (
        "uncontained by an agent",
        &["--uncontained", "--agent"],
        None,
    ),
    (
        "uncontained and required",
        &["--uncontained"],
        Some("checks_require_containment"),
    ),
    ("development", &[], Some("checks_profile")),
    (
        "development granted",
        &["--uncontained"],
        Some("checks_profile"),
    ),
];

fn project(knob: Option<&str>, network: &str) -> Project {
    let project = Project::new();
    let mut manifest = json!({
        "checks": [{ "id": "a", "executable": "sh", "args": ["-c", "echo ran"], "network": network }]
    });
    match knob {
        Some("checks_profile") => manifest["checks_profile"] = json!("uncontained_development"),
        Some(knob) => manifest[knob] = json!(true),
        None => {}
    }
    project.write("harness.json", manifest.to_string());
    project
}

/// What has to come of it: the exit code, a part of the words, whether the check ran.
fn expected(asked: &str) -> (i32, &'static str, bool) {
    match asked {
        "nothing" => (0, "checks ran uncontained: ", true),
        "required" | "required by the manifest" | "uncontained and required" => {
            (2, "the host can't contain checks (", false)
        }
        "uncontained" | "development granted" => (0, "not isolated: asked for", true),
        "uncontained by an agent" => (2, "--uncontained is refused in an agent's run", false),
        "development" => (2, "(authority_required)", false),
        other => panic!("{other}"),
    }
}

fn assert_told(what: &str, asked: &str, code: i32, document: &Value, page: &str) {
    let (expected_code, words, ran) = expected(asked);
    let said = format!("{what}, {asked}: {page}\n{document:#}");
    assert_eq!(code, expected_code, "{said}");
    assert!(page.contains(words), "{said}");
    let check = document["checks"].get(0);
    let output = check.map_or("", |check| check["stdout_tail"].as_str().unwrap());
    assert_eq!(output == "ran\n", ran, "{said}");
    // Nobody is told of more than there is.
    assert_eq!(document["isolation"]["contained"], false, "{said}");
}

#[test]
fn every_pair_of_asked_and_available_is_told_truly() {
    let (_, verdict) = project(None, "none").json(&[]);
    if verdict["isolation"]["contained"] == true {
        not_tested("this host contains checks");
        return;
    }
    for (asked, args, knob) in ASKED {
        let project = project(knob, "none");
        let (code, document) = project.json(args);
        let page = project.run(args).stdout;
        assert_told("as it is", asked, code, &document, &page);
    }
}

/// A user namespace in which no other may be made, and we are nobody in particular.
const REFUSED: &str = "echo 0 > /proc/sys/user/max_user_namespaces && \
     exec setpriv --reuid 0 --bounding-set=-all --inh-caps=-all -- \"$@\"";

#[test]
fn every_pair_is_told_truly_where_namespaces_are_refused() {
    if !can_unshare(&["-rm"]) || !is_root() {
        not_tested("namespaces cannot be refused here");
        return;
    }
    for (asked, args, knob) in ASKED {
        let project = project(knob, "none");
        let run = |args: &[&str]| {
            let check = env!("CARGO_BIN_EXE_check");
            let before = ["-r", "sh", "-c", REFUSED, "sh", check];
            let mut refused = project.command_by("unshare", [&before[..], args].concat());
            refused.output().unwrap()
        };
        let output = run(&[args, &["--json"][..]].concat());
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let page = String::from_utf8(run(args).stdout).unwrap();
        let code = output.status.code().unwrap();
        assert_told("refused", asked, code, &document, &page);
        if asked == "nothing" {
            assert_eq!(document["isolation"]["network"], false, "{document:#}");
            assert!(page.contains("namespaces are switched off"), "{page}");
        }
    }
}

/// The host's network is the caller's to permit where containment is required, and never contained.
#[test]
fn the_hosts_network_is_asked_for_and_told() {
    let open = project(None, "host");
    let (code, document) = open.json(&[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(document["checks"][0]["isolation"]["network"], false);
    let page = open.run::<_, &str>([]).stdout;
    assert!(page.contains("; host network: a"), "{page}");
    let (code, document) = open.json(&["--require-containment"]);
    assert_eq!(code, 2, "{document:#}");
    assert_eq!(document["summary"]["refused"], 1, "{document:#}");
}
