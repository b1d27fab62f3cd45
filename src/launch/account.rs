//! The account that `check` runs as, where the environment does not say.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Answers for accounts that are in no file; see getent(1). A file of that name on the caller's
/// PATH might be anybody's.
const GETENT: &str = "/usr/bin/getent";

/// The home that the user database has for `uid`.
///
/// getpwuid(3) is not asked: in a program that has its C library inside, it loads parts of the
/// host's, which may be another version.
pub fn home_of(uid: u32) -> Option<PathBuf> {
    let file = std::fs::read("/etc/passwd").unwrap_or_default();
    home_in(&file, uid).or_else(|| home_in(&asked(uid)?, uid))
}

fn asked(uid: u32) -> Option<Vec<u8>> {
    let mut command = Command::new(GETENT);
    command.args(["passwd", &uid.to_string()]).env_clear();
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Some(command.output().ok()?.stdout)
}

/// The sixth field of the line whose third is `uid`; see passwd(5).
fn home_in(database: &[u8], uid: u32) -> Option<PathBuf> {
    let uid = uid.to_string();
    let line = database.split(|&byte| byte == b'\n').find(|line| {
        let mut fields = line.split(|&byte| byte == b':');
        fields.nth(2) == Some(uid.as_bytes())
    })?;
    let home = line.split(|&byte| byte == b':').nth(5)?;
    let home = PathBuf::from(std::str::from_utf8(home).ok()?);
    Path::is_absolute(&home).then_some(home)
}

#[cfg(test)]
mod tests {
    use super::home_in;
    use std::path::Path;

    #[test]
    fn the_home_is_that_of_the_first_line_with_the_number() {
        let database = b"# c\nroot:x:0:0:root:/root:/bin/sh\nme:x:10:10:A,,,:/home/me:\n\
            too:x:10:10::/home/too:/bin/sh\nodd:x:12:12::relative:\nshort:x:13\n";
        assert_eq!(
            home_in(database, 10).as_deref(),
            Some(Path::new("/home/me"))
        );
        assert_eq!(home_in(database, 0).as_deref(), Some(Path::new("/root")));
        for none in [1, 12, 13] {
            assert_eq!(home_in(database, none), None, "{none}");
        }
    }
}
