//! What is a secret by its name, so that no check is ever handed it.

use toml::{Table, Value};

/// A name that has one of these in it, in any letter case, is a secret's.
const WORDS: [&str; 5] = ["credential", "secret", "token", "passw", "private"];
/// Files that are known to hold some beside harmless things.
const FILES: [&str; 10] = [
    ".netrc",
    ".npmrc",
    ".pypirc",
    "auth.ini",
    "auth.json",
    "auth.toml",
    "gradle.properties",
    "hex.config",
    "settings-security.xml",
    "settings.xml",
];
const ENDINGS: [&str; 8] = [
    ".gpg", ".jks", ".kdbx", ".key", ".p12", ".pem", ".pfx", "id_rsa",
];

/// Whether a file or folder of this name holds secrets, and nothing that a check needs.
pub fn is_secret_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
        || FILES.contains(&name.as_str())
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether settings in TOML hold a secret, or cannot be read. `settings.tools.x` names a tool, and
/// a tool may be called anything.
pub fn holds_secret(toml: &str) -> bool {
    let Ok(mut table) = toml.parse::<Table>() else {
        return true;
    };
    table.remove("tools");
    in_table(&table)
}

fn in_table(table: &Table) -> bool {
    table.iter().any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        // It says which program knows the secrets.
        let names_a_provider = key.contains("credential-provider");
        let secret = WORDS.iter().any(|word| key.contains(word)) || key.ends_with("key");
        (secret && !names_a_provider) || in_value(value)
    })
}

fn in_value(value: &Value) -> bool {
    match value {
        Value::String(text) => has_userinfo(text),
        Value::Array(values) => values.iter().any(in_value),
        Value::Table(table) => in_table(table),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => false,
    }
}

/// Whether it has an address with a password in it: `https://user:word@host/`.
fn has_userinfo(text: &str) -> bool {
    let addresses = text.split("://").skip(1);
    addresses.into_iter().any(|rest| {
        let host = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        host.rsplit_once('@')
            .is_some_and(|(user, _)| user.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::{holds_secret, is_secret_file};

    #[test]
    fn secrets_are_told_by_their_names() {
        for secret in [
            "credentials",
            "credentials.toml",
            ".credentials",
            "opam-publish.token",
            "settings.xml",
            "Auth.json",
            "server.PEM",
        ] {
            assert!(is_secret_file(secret), "{secret}");
        }
        for harmless in [
            "registry",
            "config.toml",
            "bin",
            "env",
            "settings.toml",
            "monkey",
        ] {
            assert!(!is_secret_file(harmless), "{harmless}");
        }
    }

    #[test]
    fn settings_with_a_secret_are_told_from_harmless_ones() {
        for secret in [
            "[registry]\ntoken = 'x'",
            "[registries.own]\nsecret-key = 'x'",
            "env.API_KEY = 'x'",
            "[[list]]\nGITHUB_TOKEN = 'x'",
            "[http]\nproxy = 'http://me:word@proxy:80'",
            "not toml",
        ] {
            assert!(holds_secret(secret), "{secret}");
        }
        for harmless in [
            "[source.own]\nregistry = 'https://mirror.example/index/'",
            "[registry]\nglobal-credential-providers = ['cargo:token']",
            "[tools]\n'npm:secretlint' = '1'\nnode = '20'",
            "[net]\ngit-fetch-with-cli = true\n[url]\na = 'ssh://git@host/x'",
            "",
        ] {
            assert!(!holds_secret(harmless), "{harmless}");
        }
    }
}
