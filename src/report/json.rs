//! The verdict as one JSON document, version 1: names and order are those of `model::Verdict`.

use std::io::{self, Write};

use crate::model::Verdict;

/// One document and a final newline. Characters that drive terminals (the C1 controls, DEL) are
/// written as escapes, which mean the same to every reader of JSON; nothing else is.
pub fn json(verdict: &Verdict, out: &mut impl Write) -> io::Result<()> {
    let document = serde_json::to_string_pretty(verdict)?;
    let mut rest = document.as_str();
    while let Some(at) = rest.find(|c| matches!(c, '\u{7f}'..='\u{9f}')) {
        let (plain, tail) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;
        let mut tail = tail.chars();
        if let Some(control) = tail.next() {
            write!(out, "\\u{:04x}", u32::from(control))?;
        }
        rest = tail.as_str();
    }
    out.write_all(rest.as_bytes())?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::json;
    use crate::model::{Status, VerdictWord};
    use crate::report::sample::{self, check, failure, verdict};

    fn text(message: &str) -> String {
        let mut lint = check("lint", Status::Fail);
        lint.failures = vec![failure(message)];
        let mut out = Vec::new();
        json(&verdict(VerdictWord::Failed, vec![lint]), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_document_is_read_back_as_it_was() {
        let hostile = "<a href='x'>&\x1b[31m\u{9b}31m\u{7f}\u{202e}\0\n\"";
        let document = text(hostile);
        assert!(document.ends_with("}\n") && !document.ends_with("\n\n"));
        assert!(!document.contains(['\x1b', '\u{9b}', '\u{7f}']));
        assert!(document.contains("<a href='x'>&"), "no HTML escaping");
        let read: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!(read["checks"][0]["failures"][0]["message"], hostile);
    }

    /// The contract's own order; a later field is added behind these or beside them, by intent.
    #[test]
    fn names_stand_in_the_order_of_the_contract() {
        let read: serde_json::Value = serde_json::from_str(&text("x")).unwrap();
        let names = |value: &serde_json::Value| -> String {
            let object = value.as_object().unwrap();
            object.keys().cloned().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            names(&read),
            "version verdict exit_code route reason root tree manifest host started_at \
             duration_ms isolation summary checks baseline bar not_selected partition \
             diagnostics notes"
        );
        assert_eq!(names(&read["tree"]), "commit dirty digest");
        assert_eq!(names(&read["manifest"]), "path sha256");
        assert_eq!(names(&read["host"]), "os arch");
        assert_eq!(names(&read["baseline"]), "path known fixed");
        let isolation = "mechanism contained limits network home read_only note step unit";
        assert_eq!(names(&read["isolation"]), isolation);
        assert_eq!(
            names(&read["summary"]),
            "checks pass fail known broken refused skipped cancelled advisory new \
             known_failures fixed unseen new_digest"
        );
        assert_eq!(
            names(&read["bar"]),
            "manifest_sha256 baseline_sha256 source trusted changes"
        );
        let check = &read["checks"][0];
        assert_eq!(
            names(check),
            "id status reason tolerance category role argv cwd env exit termination \
             duration_ms isolation version streams evidence failures failures_total new known \
             fixed unseen leaks shot stdout_tail stderr_tail truncated log notes details detected \
             network optional"
        );
        assert_eq!(names(&check["isolation"]), isolation);
        assert_eq!(names(&check["truncated"]), "stdout stderr");
        assert_eq!(
            names(&check["failures"][0]),
            "path line column test rule level message tool outside source state fingerprint \
             count also"
        );
        assert!(check["version"].is_null() && check["isolation"]["unit"].is_null());
        assert_eq!(check["leaks"], serde_json::json!([]));
    }

    #[test]
    fn every_name_is_in_the_documentation() {
        fn collect(value: &serde_json::Value, names: &mut BTreeSet<String>) {
            for (name, value) in value.as_object().into_iter().flatten() {
                names.insert(name.clone());
                collect(value, names);
            }
            for item in value.as_array().into_iter().flatten() {
                collect(item, names);
            }
        }
        let mut names = BTreeSet::new();
        for sample in [
            sample::ended(),
            sample::failed(),
            sample::detected().0,
            sample::bad_manifest(),
        ] {
            collect(&serde_json::to_value(sample).unwrap(), &mut names);
        }
        let page = include_str!("../../docs/verdict.md");
        // The two that are spelled in an example.
        names.retain(|name| !matches!(name.as_str(), "code" | "signal"));
        for name in names {
            assert!(
                page.contains(&format!("`{name}`")),
                "docs/verdict.md lacks {name}"
            );
        }
    }
}
