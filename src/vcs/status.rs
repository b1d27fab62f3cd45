//! What `git status --porcelain=v2 -z --branch --no-renames` prints, record by record.

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// HEAD's commit.
    Commit(&'a [u8]),
    /// No commit yet.
    Initial,
    /// A path, from the top, that differs from HEAD or is not in it; a nested repository ends in
    /// `/`.
    Path(&'a [u8]),
    /// Of no use here.
    Other,
}

/// Reads one record (without its NUL); `None` where it is of no known shape. The shapes are those
/// of git-status(1), "Porcelain Format Version 2".
pub(super) fn record(bytes: &[u8]) -> Option<Record<'_>> {
    let (kind, rest) = bytes.split_first_chunk::<2>()?;
    match kind {
        b"# " => Some(match rest.strip_prefix(b"branch.oid ") {
            Some(b"(initial)") => Record::Initial,
            Some(commit) => Record::Commit(commit),
            None => Record::Other,
        }),
        // XY sub mH mI mW hH hI path
        b"1 " => after_fields(rest, 7).map(Record::Path),
        // XY sub m1 m2 m3 mW h1 h2 h3 path
        b"u " => after_fields(rest, 9).map(Record::Path),
        b"? " => Some(Record::Path(rest)),
        b"! " => Some(Record::Other),
        _ => None,
    }
}

/// What follows `count` fields that have no space in them.
fn after_fields(bytes: &[u8], count: usize) -> Option<&[u8]> {
    bytes.splitn(count + 1, |byte| *byte == b' ').nth(count)
}

#[cfg(test)]
mod tests {
    use super::{Record, record};

    #[test]
    fn each_shape_gives_its_fact() {
        assert_eq!(record(b"# branch.oid 12ab"), Some(Record::Commit(b"12ab")));
        assert_eq!(record(b"# branch.oid (initial)"), Some(Record::Initial));
        assert_eq!(record(b"# branch.head main"), Some(Record::Other));
        let changed = b"1 .M N... 100644 100644 100644 1a 1a a b.txt";
        assert_eq!(record(changed), Some(Record::Path(b"a b.txt")));
        let unmerged = b"u UU N... 100644 100644 100644 100644 1a 2b 3c x";
        assert_eq!(record(unmerged), Some(Record::Path(b"x")));
        assert_eq!(record(b"? new file"), Some(Record::Path(b"new file")));
        for unknown in [&b""[..], b"1", b"2 R. N...", b"1 .M N... 100644"] {
            assert_eq!(record(unknown), None);
        }
    }
}
