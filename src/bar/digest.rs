//! The bar as digests: what judged is what was read before the first check began.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

/// Of a manifest's bytes, 64 hex digits.
pub fn manifest_sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Of the baseline folder: over `<sha256> <name>` of each file in order of name, a line each.
/// `None` where there is no file.
pub fn baseline_sha256(files: &BTreeMap<String, String>) -> Option<String> {
    let mut digest = Sha256::new();
    for (name, sum) in files {
        digest.update(format!("{sum} {name}\n"));
    }
    (!files.is_empty()).then(|| format!("{:x}", digest.finalize()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{baseline_sha256, manifest_sha256};

    #[test]
    fn a_file_more_renamed_or_changed_is_another_bar() {
        let digest = |files: &[(&str, u8)]| {
            let files = files
                .iter()
                .map(|(name, byte)| ((*name).to_owned(), byte.to_string()));
            baseline_sha256(&files.collect::<BTreeMap<_, _>>())
        };
        assert_eq!(digest(&[]), None);
        let base = digest(&[("a.jsonl", 1), ("b.jsonl", 2)]);
        assert_eq!(base, digest(&[("b.jsonl", 2), ("a.jsonl", 1)]));
        for other in [
            digest(&[("a.jsonl", 1)]),
            digest(&[("a.jsonl", 2), ("b.jsonl", 1)]),
            digest(&[("a.jsonl", 1), ("c.jsonl", 2)]),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_manifest_has_the_digest_that_other_tools_give_it() {
        assert_eq!(
            manifest_sha256(b"{}\n"),
            "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"
        );
    }
}
