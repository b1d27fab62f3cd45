//! Import paths as folders of the tree: what `go.mod` and `go.work` say.

use super::super::paths::{Paths, fold};

/// The modules that a go command started in one folder sees; read when first asked.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Module path and folder relative to the root, the longest path first.
    known: Option<Vec<(String, String)>>,
}

impl Modules {
    /// The folder of package `import`, relative to the root, `""` for the root.
    pub(super) fn folder(&mut self, paths: &Paths, import: &str) -> Option<String> {
        // `pkg [pkg.test]` and `pkg_test` live where `pkg` does.
        let import = import.split_whitespace().next()?;
        if import == "command-line-arguments" {
            return Some(paths.base().to_owned());
        }
        // Outside any module an import path is made of the folder itself.
        if let Some(absolute) = import
            .strip_prefix('_')
            .filter(|rest| rest.starts_with('/'))
        {
            return paths.resolve(absolute);
        }
        let known = self.known.get_or_insert_with(|| find(paths));
        for (module, folder) in known {
            if let Some(below) = import.strip_prefix(module.as_str())
                && (below.is_empty() || below.starts_with('/'))
            {
                return fold(folder, below.trim_start_matches('/'));
            }
        }
        None
    }
}

/// The nearest `go.mod` from the working folder up to the root, and what `go.work` uses.
fn find(paths: &Paths) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut above = Some(paths.base().to_owned());
    while let Some(folder) = above {
        if found.is_empty() {
            found.extend(module_in(paths, &folder));
        }
        if let Some(work) = paths.text_of(&folder, "go.work") {
            for used in uses(&work) {
                if let Some(used) = fold(&folder, &used) {
                    found.extend(module_in(paths, &used));
                }
            }
            break;
        }
        above = parent(&folder);
    }
    found.sort_by_key(|(module, _)| std::cmp::Reverse(module.len()));
    found
}

fn parent(folder: &str) -> Option<String> {
    if folder.is_empty() {
        return None;
    }
    Some(
        folder
            .rsplit_once('/')
            .map_or(String::new(), |(above, _)| above.to_owned()),
    )
}

fn module_in(paths: &Paths, folder: &str) -> Option<(String, String)> {
    let text = paths.text_of(folder, "go.mod")?;
    let name = text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("module")?;
        let rest = rest.strip_prefix([' ', '\t'])?;
        Some(rest.split("//").next()?.trim().trim_matches('"').to_owned())
    })?;
    (!name.is_empty()).then(|| (name, folder.to_owned()))
}

/// The folders of `use x` and `use ( x … )`.
fn uses(work: &str) -> Vec<String> {
    let mut folders = Vec::new();
    let mut inside = false;
    for line in work.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if inside && line == ")" {
            inside = false;
        } else if inside && !line.is_empty() {
            folders.push(line.trim_matches('"').to_owned());
        } else if let Some(rest) = line.strip_prefix("use") {
            match rest.trim() {
                "(" => inside = true,
                folder if !folder.is_empty() && rest.starts_with([' ', '\t']) => {
                    folders.push(folder.trim_matches('"').to_owned());
                }
                _ => {}
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::super::paths::Paths;
    use super::Modules;

    #[test]
    fn packages_are_found_through_the_nearest_module_and_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("svc/api")).unwrap();
        fs::create_dir_all(root.join("lib")).unwrap();
        fs::write(
            root.join("go.work"),
            "go 1.27\nuse (\n\t./svc // here\n\t./lib\n)\n",
        )
        .unwrap();
        fs::write(
            root.join("svc/go.mod"),
            "// c\nmodule example.com/svc/v2 // x\n",
        )
        .unwrap();
        fs::write(root.join("lib/go.mod"), "module \"example.com/lib\"\n").unwrap();
        let paths = Paths::new(root, "svc/api");
        let mut modules = Modules::default();
        let mut folder = |import: &str| modules.folder(&paths, import);
        assert_eq!(folder("example.com/svc/v2/api"), Some("svc/api".to_owned()));
        assert_eq!(folder("example.com/svc/v2"), Some("svc".to_owned()));
        assert_eq!(
            folder("example.com/svc/v2/api [example.com/svc/v2/api.test]"),
            Some("svc/api".to_owned())
        );
        assert_eq!(folder("example.com/lib/x"), Some("lib/x".to_owned()));
        assert_eq!(folder("example.com/library"), None);
        assert_eq!(folder("command-line-arguments"), Some("svc/api".to_owned()));
    }
}
