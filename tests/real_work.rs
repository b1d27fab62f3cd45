//! Real tools on real projects whose tests start servers on localhost, for whoever holds checks in some way.

use crate::support::{Project, has_tool};

/// Hands out each project with a command that passes in it.
pub fn each(mut passes: impl FnMut(&Project, &[&str])) {
    if has_tool("go") {
        passes(
            &Project::from_fixture("contained/go"),
            &["go", "test", "./..."],
        );
    }
    if has_tool("node") {
        let project = Project::from_fixture("contained/node");
        passes(&project, &["node", "--test"]);
        passes(&project, &["npm", "test"]);
    }
    if has_tool("pytest") {
        passes(
            &Project::from_fixture("contained/python"),
            &["pytest", "-q"],
        );
    }
    if has_tool("cargo") {
        let project = Project::from_fixture("contained/rust");
        passes(&project, &["cargo", "test"]);
        project.write("Makefile", "test:\n\tcargo test\n");
        passes(&project, &["make", "test"]);
    }
}
