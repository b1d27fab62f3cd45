//! What to do where a program is not there.

/// Programs that come in something of another name, or that another tool installs. The step is
/// right on any system; one that is not in the table is installed by its name.
const STEPS: [(&str, &str); 16] = [
    ("bun", "install Bun (https://bun.sh)"),
    ("cargo", "install Rust (https://rustup.rs)"),
    ("go", "install Go (https://go.dev/dl)"),
    ("just", "install just (https://just.systems)"),
    ("mypy", "pip install mypy"),
    ("node", "install Node.js (https://nodejs.org)"),
    ("npm", "install Node.js, which has npm (https://nodejs.org)"),
    ("npx", "install Node.js, which has npx (https://nodejs.org)"),
    ("pip", "install Python (https://www.python.org)"),
    ("pnpm", "npm install -g pnpm"),
    ("pytest", "pip install pytest"),
    ("python3", "install Python (https://www.python.org)"),
    ("ruff", "pip install ruff"),
    ("rustc", "install Rust (https://rustup.rs)"),
    ("uv", "install uv (https://docs.astral.sh/uv)"),
    ("yarn", "npm install -g yarn"),
];

/// One step after which `program`, as a manifest names it, would be on PATH.
pub fn install_hint(program: &str) -> String {
    STEPS.iter().find(|(name, _)| *name == program).map_or_else(
        || format!("install {program}"),
        |(_, step)| (*step).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::install_hint;

    #[test]
    fn a_program_is_installed_by_its_name_unless_something_else_has_it() {
        assert_eq!(install_hint("golangci-lint"), "install golangci-lint");
        assert_eq!(install_hint("pnpm"), "npm install -g pnpm");
        assert!(install_hint("npm").starts_with("install Node.js"));
        assert!(install_hint("cargo").starts_with("install Rust"));
    }
}
