//! The one table of toolchains that live in a home: a check's home links to each that is there,
//! so that `cargo`, `pyenv` shims and their like work without a variable more. What is not in it
//! is not in a check's home; no row hands on a secret (see [`What`]).

/// One place of one tool.
pub struct Toolchain {
    /// The tool's own, from the home.
    pub place: &'static str,
    /// The caller's variable that may say otherwise, and what is below the folder it names.
    pub variable: Option<(&'static str, &'static str)>,
    /// What of it is linked.
    pub what: What,
}

/// What is linked of a place.
pub enum What {
    /// A folder in which no tool keeps a secret. What a check adds to it is kept.
    Folder,
    /// A folder that has secrets beside what is needed, these and whatever is named like one
    /// ([`super::secrets`]): its other entries, each by itself, so that a secret that is put there
    /// later is not seen either.
    Entries(&'static [&'static str]),
    /// A file without secrets.
    File,
    /// A file of settings in TOML, where it holds no secret.
    Settings,
    /// A file that a tool shares with its other runs, its locks above all: linked before it is
    /// there too, so that it comes to be where it belongs.
    Shared,
}

impl Toolchain {
    const fn new(place: &'static str, what: What) -> Self {
        Self {
            place,
            variable: None,
            what,
        }
    }

    /// The caller's variable may say where it is.
    const fn or(self, variable: &'static str) -> Self {
        self.or_below(variable, "")
    }

    /// The caller's variable may say what it is below.
    const fn or_below(self, variable: &'static str, below: &'static str) -> Self {
        Self {
            variable: Some((variable, below)),
            ..self
        }
    }
}

const fn folder(place: &'static str) -> Toolchain {
    Toolchain::new(place, What::Folder)
}

const fn entries(place: &'static str, but: &'static [&'static str]) -> Toolchain {
    Toolchain::new(place, What::Entries(but))
}

const fn file(place: &'static str) -> Toolchain {
    Toolchain::new(place, What::File)
}

const fn settings(place: &'static str) -> Toolchain {
    Toolchain::new(place, What::Settings)
}

const fn shared(place: &'static str) -> Toolchain {
    Toolchain::new(place, What::Shared)
}

/// A later row wins over an earlier one in whose folder it lies.
pub const TABLE: &[Toolchain] = &[
    // Several languages. A shim finds its version in the tree, else in these files.
    folder(".asdf").or("ASDF_DATA_DIR"),
    file(".asdfrc").or("ASDF_CONFIG_FILE"),
    file(".tool-versions"),
    folder(".local/share/mise").or("MISE_DATA_DIR"),
    settings(".config/mise/config.toml").or_below("MISE_CONFIG_DIR", "config.toml"),
    // Which trees' settings mise may act on; without it mise refuses one that is trusted.
    folder(".local/state/mise/trusted-configs").or_below("MISE_STATE_DIR", "trusted-configs"),
    folder(".proto").or("PROTO_HOME"),
    folder(".local/share/aquaproj-aqua").or("AQUA_ROOT_DIR"),
    folder(".pixi").or("PIXI_HOME"),
    // Rust. Without the locks two runs of cargo would unpack into one registry at once.
    entries(".cargo", &["config", "config.toml"]).or("CARGO_HOME"),
    settings(".cargo/config").or_below("CARGO_HOME", "config"),
    settings(".cargo/config.toml").or_below("CARGO_HOME", "config.toml"),
    shared(".cargo/.global-cache").or_below("CARGO_HOME", ".global-cache"),
    shared(".cargo/.package-cache").or_below("CARGO_HOME", ".package-cache"),
    shared(".cargo/.package-cache-mutate").or_below("CARGO_HOME", ".package-cache-mutate"),
    folder(".rustup").or("RUSTUP_HOME"),
    folder(".cache/sccache").or("SCCACHE_DIR"),
    // Python.
    folder(".pyenv").or("PYENV_ROOT"),
    // What `pip install --user` installs, which Python looks for under the home.
    folder(".local/lib").or_below("PYTHONUSERBASE", "lib"),
    entries(".local/share/uv", &[]),
    folder(".local/share/uv/python").or("UV_PYTHON_INSTALL_DIR"),
    folder(".local/share/uv/tools").or("UV_TOOL_DIR"),
    folder(".cache/uv").or("UV_CACHE_DIR"),
    folder(".cache/pip").or("PIP_CACHE_DIR"),
    folder(".cache/pypoetry").or("POETRY_CACHE_DIR"),
    folder(".local/share/virtualenvs").or("WORKON_HOME"),
    entries(".rye", &["config.toml"]).or("RYE_HOME"),
    folder(".cache/pre-commit").or("PRE_COMMIT_HOME"),
    folder(".cache/prek").or("PREK_HOME"),
    entries(".cache/huggingface", &[]).or("HF_HOME"),
    // JavaScript. npm's cache is a variable of its own.
    folder(".nvm").or("NVM_DIR"),
    folder(".volta").or("VOLTA_HOME"),
    folder(".nodenv").or("NODENV_ROOT"),
    folder(".local/share/fnm").or("FNM_DIR"),
    folder(".cache/node/corepack").or("COREPACK_HOME"),
    folder(".local/share/pnpm").or("PNPM_HOME"),
    folder(".cache/pnpm"),
    folder(".cache/yarn").or("YARN_CACHE_FOLDER"),
    folder(".yarn/berry").or("YARN_GLOBAL_FOLDER"),
    folder(".bun").or("BUN_INSTALL"),
    folder(".deno").or("DENO_INSTALL_ROOT"),
    // `localStorage` of every script would last from one run to the next.
    entries(".cache/deno", &["location_data"]).or("DENO_DIR"),
    folder(".cache/ms-playwright").or("PLAYWRIGHT_BROWSERS_PATH"),
    folder(".cache/puppeteer").or("PUPPETEER_CACHE_DIR"),
    folder(".cache/Cypress").or("CYPRESS_CACHE_FOLDER"),
    // The JVM. Gradle's `daemon` is not here: a check that found one would run in it.
    folder(".sdkman").or("SDKMAN_DIR"),
    folder(".jenv").or("JENV_ROOT"),
    folder(".m2/repository"),
    folder(".m2/wrapper"),
    file(".m2/toolchains.xml"),
    folder(".gradle/caches").or_below("GRADLE_USER_HOME", "caches"),
    folder(".gradle/jdks").or_below("GRADLE_USER_HOME", "jdks"),
    folder(".gradle/native").or_below("GRADLE_USER_HOME", "native"),
    folder(".gradle/wrapper").or_below("GRADLE_USER_HOME", "wrapper"),
    folder(".ivy2/cache"),
    folder(".ivy2/local"),
    folder(".sbt/boot"),
    folder(".cache/coursier").or("COURSIER_CACHE"),
    folder(".konan").or("KONAN_DATA_DIR"),
    // Ruby.
    folder(".rbenv").or("RBENV_ROOT"),
    folder(".rvm"),
    entries(".gem", &[]),
    entries(".local/share/gem", &[]),
    entries(".bundle", &["config"]).or("BUNDLE_USER_HOME"),
    // PHP.
    entries(".composer", &["config.json"]).or("COMPOSER_HOME"),
    entries(".config/composer", &["config.json"]).or("COMPOSER_HOME"),
    folder(".cache/composer").or("COMPOSER_CACHE_DIR"),
    // .NET. `corefx` has private keys.
    entries(".dotnet", &["corefx"]),
    folder(".nuget/packages").or("NUGET_PACKAGES"),
    // The rest, each by its language.
    folder(".goenv").or("GOENV_ROOT"),
    folder(".ghcup").or_below("GHCUP_INSTALL_BASE_PREFIX", ".ghcup"),
    entries(".cabal", &["config"]).or("CABAL_DIR"),
    folder(".local/state/cabal"),
    folder(".cache/cabal"),
    entries(".stack", &["config.yaml", "upload"]).or("STACK_ROOT"),
    entries(".opam", &["plugins"]).or("OPAMROOT"),
    folder(".mix").or("MIX_HOME"),
    entries(".hex", &[]).or("HEX_HOME"),
    folder(".cache/rebar3"),
    entries(".julia", &["config", "logs", "servers"]).or("JULIA_DEPOT_PATH"),
    entries(".pub-cache", &[]).or("PUB_CACHE"),
    folder(".cache/zig").or("ZIG_GLOBAL_CACHE_DIR"),
    entries(".cache/ccache", &["ccache.conf"]).or("CCACHE_DIR"),
    folder(".cache/bazelisk").or("BAZELISK_HOME"),
    folder(".docker/cli-plugins"),
];

#[cfg(test)]
mod tests {
    use super::{TABLE, What};
    use std::path::Path;

    #[test]
    fn no_row_lies_in_a_folder_that_another_links_whole() {
        for (index, tool) in TABLE.iter().enumerate() {
            let place = Path::new(tool.place);
            assert!(place.is_relative(), "{}", tool.place);
            for (other_index, other) in TABLE.iter().enumerate() {
                if index == other_index || !place.starts_with(other.place) {
                    continue;
                }
                assert!(
                    matches!(other.what, What::Entries(_)) && other_index < index,
                    "{} lies in {}",
                    tool.place,
                    other.place
                );
            }
        }
    }

    #[test]
    fn the_documentation_has_every_row_and_no_other() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/environment.md");
        let page = std::fs::read_to_string(page).unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `~/"));
        let rows: Vec<Vec<&str>> = rows
            .map(|row| {
                row.split('|')
                    .map(|cell| cell.trim().trim_matches('`'))
                    .collect()
            })
            .collect();
        let documented: Vec<_> = rows.iter().map(|row| (row[0], row[1], row[2])).collect();
        let table: Vec<_> = TABLE
            .iter()
            .map(|tool| {
                let variable = tool.variable.map_or(String::new(), |(name, below)| {
                    let slash = if below.is_empty() { "" } else { "/" };
                    format!("{name}{slash}{below}")
                });
                let what = match tool.what {
                    What::Folder => "all".to_owned(),
                    What::Entries([]) => "all but secrets".to_owned(),
                    What::Entries(but) => format!("all but secrets and {}", but.join(", ")),
                    What::File => "the file".to_owned(),
                    What::Settings => "unless it holds a secret".to_owned(),
                    What::Shared => "made where it is absent".to_owned(),
                };
                (tool.place, variable, what)
            })
            .collect();
        let wanted: String = table
            .iter()
            .map(|(place, variable, what)| {
                let variable = if variable.is_empty() {
                    String::new()
                } else {
                    format!("`{variable}`")
                };
                format!("| `~/{place}` | {variable} | {what} |\n")
            })
            .collect();
        let same = table.len() == documented.len()
            && table
                .iter()
                .zip(&documented)
                .all(|(row, written)| (row.0, row.1.as_str(), row.2.as_str()) == *written);
        assert!(
            same,
            "docs/environment.md has to have this table:\n{wanted}"
        );
    }
}
