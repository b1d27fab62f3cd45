//! What detection reads out of justfiles and makefiles, held against just and make themselves.

use std::path::Path;
use std::process::{Command, Stdio};

use harness_check::detect::detect;
use harness_check::model::HostFacts;

use crate::support::{Project, has_tool};

const HOST: HostFacts = HostFacts {
    cores: 4,
    ci: false,
    memory_bytes: 16 << 30,
};

/// A program that runs targets of a file, and how it is asked what it would do.
struct Tool {
    program: &'static str,
    file: &'static str,
    targets: &'static [&'static str],
    /// Make's own rules, by which a `test.c` is a target, are no one's declaration.
    dry_run: &'static [&'static str],
    /// Lets a file declare one target twice.
    twice: &'static str,
}

const MAKE: Tool = Tool {
    program: "make",
    file: "Makefile",
    targets: &["check", "test", "lint"],
    dry_run: &["--dry-run", "--no-builtin-rules"],
    twice: "",
};

const JUST: Tool = Tool {
    program: "just",
    file: "justfile",
    targets: &["check", "test", "lint", "typecheck"],
    dry_run: &["--dry-run"],
    twice: "set allow-duplicate-recipes\nset allow-duplicate-variables\n",
};

/// What the tool itself says.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// It would run something for these targets.
    Runs(Vec<String>),
    /// It does not understand the file.
    Refuses,
}

impl Tool {
    fn answer(&self, root: &Path) -> Answer {
        let mut runs = Vec::new();
        for target in self.targets {
            let output = Command::new(self.program)
                .args(self.dry_run)
                .arg(target)
                .current_dir(root)
                .env_remove("MAKEFLAGS")
                .env_remove("MAKELEVEL")
                .env("LC_ALL", "C")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let stdout = String::from_utf8_lossy(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let idle = stdout.contains("Nothing to be done for")
                || stdout.contains("is up to date")
                || stdout.is_empty() && stderr.is_empty();
            // What is missing is missing to a target that is declared.
            let lacks = stderr.contains(", needed by");
            if output.status.success() && !idle || lacks {
                runs.push((*target).to_owned());
            }
            let misread = stderr.contains("***") && !stderr.contains("No rule to make target")
                || stderr.contains("——▶");
            if misread {
                return Answer::Refuses;
            }
        }
        Answer::Runs(runs)
    }

    fn detected(&self, root: &Path) -> Vec<String> {
        let Ok(found) = detect(root, &HOST) else {
            return Vec::new();
        };
        let ids = found.checks.iter().map(|check| {
            let id = check.id.to_string();
            assert_eq!(check.argv(), [self.program, id.as_str()]);
            id
        });
        ids.collect()
    }

    /// What detection says of a tree where it is not what the tool says.
    fn fault(&self, project: &Project, files: &[(&str, &str)]) -> Option<String> {
        for (path, text) in files {
            project.write(path, text);
        }
        let answer = self.answer(project.root());
        let detected = self.detected(project.root());
        let same = answer == Answer::Runs(detected.clone());
        (!same).then(|| {
            format!(
                "{files:#?}\n{}: {answer:?}\nfound: {detected:?}\n",
                self.program
            )
        })
    }

    /// Holds detection against the tool, a tree a text.
    #[track_caller]
    fn agrees_on_each(self, texts: &[&str]) {
        let files: Vec<_> = texts.iter().map(|text| [(self.file, *text)]).collect();
        let trees: Vec<_> = files.iter().map(|file| &file[..]).collect();
        self.agrees_on_trees(&trees);
    }

    #[track_caller]
    fn agrees_on_trees(self, trees: &[&[(&str, &str)]]) {
        let fault = |files: &&[_]| self.fault(&Project::without_git(), files);
        let faults: Vec<String> = trees.iter().filter_map(fault).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// For texts made of two of `parts`, where the tool understands them: each part before some
    /// of the others and behind some.
    #[track_caller]
    fn agrees_on_pairs(&self, parts: &[&str]) {
        let project = Project::without_git();
        let (mut tried, mut understood) = (0, 0);
        let mut faults = Vec::new();
        for (at, first) in parts.iter().enumerate() {
            for step in STEPS {
                let second = parts[(at + step) % parts.len()];
                let text = format!("{}{first}{second}", self.twice);
                project.write(self.file, &text);
                tried += 1;
                if self.answer(project.root()) != Answer::Refuses {
                    understood += 1;
                    faults.extend(self.fault(&project, &[(self.file, &text)]));
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(
            understood * 2 > tried,
            "{understood} of {tried} are understood"
        );
    }
}

/// Which other parts a part is tried with.
const STEPS: [usize; 5] = [0, 1, 7, 18, 41];

/// Each declares `test` or looks as if it did.
const MAKEFILES: &[&str] = &[
    "test:\n\tgo test\n",
    "test: ; go test\n",
    "test:;X=1\n",
    "test: unit\nunit:\n\techo\n",
    "test:\n",
    "test: ;\n",
    "test: # nothing\n",
    ".PHONY: test\n",
    ".PHONY: \\\n test\n",
    ".PHONY: test\ntest:\n\techo\n",
    "test:: ; echo\n",
    "test::\n\techo\n",
    "test lint: ; echo $@\n",
    "test\\\n lint: ; echo $@\n",
    "te\\\nst: ; echo\n",
    "a test&: ; echo\n",
    "a test &: ; echo\n",
    "./test: ; echo\n",
    "   test: ; echo\n",
    "test : ; echo\n",
    "test.o: ; echo\n",
    "all: test\n",
    "all: ; echo test: foo\n",
    "all: ; @echo \\\ntest: foo\n",
    "all:\n\t@echo \\\ntest: foo\n",
    "all:\n\ttest: foo\n",
    "all:\n\n# c\n\ttest: foo\n",
    "define x\ntest: ; echo\nendef\n",
    "override define test\ntest: ; echo\nendef\n",
    "define x =\ndefine y\nendef\ntest: ; echo\nendef\n",
    "define x\nx: ;\n\tendef\nendef\ntest: ; echo\n",
    "test = x: y\n",
    "test := x: y\n",
    "test:=x\n",
    "test ?= x\n",
    "test != echo\n",
    "test: X = 1\n",
    "test: X := 1\n",
    "test: private X = 1\n",
    "test: override export X += 1\n",
    "test: a=b\n",
    "test: a b = c\na b c =: ; echo\n",
    "X = a \\\ntest: b\n",
    "# c \\\ntest: ; echo\n",
    "X = a \\\\\ntest: ; echo\n",
    "export test: x\n",
    "export X = test: y\n",
    "undefine test\n",
    "$(info test: x)\n",
    "$(X) test: ; echo\n",
    "lib(test): ; echo\n",
    "lib(test a): ; echo\n",
    "\"test\": ; echo\n",
    "test\\:x: ; echo\n",
    ".RECIPEPREFIX = >\nx:\n>test: foo\n",
    ".RECIPEPREFIX = >\nx:\n\ttest: foo\n>echo\nfoo: ; echo\n",
    ".RECIPEPREFIX := $() $()\nx:\n test: foo\n",
    "test:\r\n\techo\r\n",
    "\u{feff}test: ; echo\n",
    "test:\n\t# only a comment\n",
];

/// What files with conditions declare, beside what make says of them here.
const CONDITIONS: &[&str] = &[
    "ifeq (1,1)\ntest: ; echo\nendif\n",
    "ifeq (a,b)\ntest: ; echo\nelse\nlint: ; echo\nendif\n",
    "ifeq (a, a)\ntest: ; echo\nendif\n",
    "ifeq ( a,a )\ntest: ; echo\nendif\n",
    "ifneq 'a' \"b\"\ntest: ; echo\nendif\n",
    "ifeq \"a\" 'b' # c\ntest: ; echo\nendif\n",
    "A = x\nifeq ($(A),x)\ntest: ; echo\nendif\n",
    "A := x\nifneq (${A},x)\ntest: ; echo\nelse ifdef A\nlint: ; echo\nendif\n",
    "A =\nifdef A\ntest: ; echo\nendif\n",
    "ifdef NEVER\ntest: ; echo\nendif\n",
    "ifdef NEVER\ntest: ; echo\nelse\ntest: ; echo\nendif\n",
    "ifdef NEVER\ntest: ; echo\nelse ifdef NOR\ntest: ; echo\nelse\ntest: ; echo\nendif\n",
    "ifeq ($(OS),Windows_NT)\ntest: ; a\nelse\ntest: ; b\nendif\nlint: ; c\n",
    "test:\nifdef NEVER\n\techo\nendif\n",
    "test:\nifdef NEVER\n\techo\nelse\n\techo 2\nendif\n",
    "test:\n\techo\nifdef NEVER\n\techo 2\nendif\n",
    "ifdef NEVER\ntest:\nelse\ntest:\nendif\n\techo\n",
    "ifdef NEVER\ntest:\nelse\nlint:\nendif\nx:\n\techo\n",
    "x:\n\techo\n ifdef NEVER\ntest: ; echo\n endif\n",
    "x:\n\techo\n\tifdef NEVER\ntest: ; echo\n",
    "ifdef NEVER\nifeq (1,1)\ntest: ; echo\nelse\ntest: ; echo\nendif\nendif\n",
    "ifeq (1,1)\nifeq (1,2)\nelse\ntest: ; echo\nendif\nelse\nlint: ; echo\nendif\n",
    "ifeq (1,2)\ndefine x\nendif\nendef\ntest: ; echo\nendif\n",
    "else = 1\nifdef = 2\ntest: ; echo\n",
];

/// Of several files, or beside others.
const MAKE_TREES: &[&[(&str, &str)]] = &[
    &[
        ("GNUmakefile", "test: ; echo\n"),
        ("Makefile", "lint: ; echo\n"),
    ],
    &[
        ("makefile", "test: ; echo\n"),
        ("Makefile", "lint: ; echo\n"),
    ],
    &[
        ("Makefile", "include mk/a.mk\n"),
        ("mk/a.mk", "include mk/b.mk\n"),
        ("mk/b.mk", "test: ; echo\n"),
    ],
    &[
        ("Makefile", "include mk/*.mk # all\n"),
        ("mk/a.mk", "test: ; echo\n"),
        ("mk/b.mk", "lint: ; echo\n"),
    ],
    &[
        ("Makefile", "-include none.mk a.mk\nlint: ; echo\n"),
        ("a.mk", "test: ; echo\n"),
    ],
    &[
        ("Makefile", "A = x\ninclude a.mk\n"),
        ("a.mk", "ifeq ($(A),x)\ntest: ; echo\nendif\n"),
    ],
    &[
        ("Makefile", "ifeq (1,2)\ninclude a.mk\nendif\n"),
        ("a.mk", "test: ; echo\n"),
    ],
    // A folder of the name is up to date, and nothing is run.
    &[("Makefile", "test:\n\techo\n"), ("test/a", "")],
    &[
        ("Makefile", ".PHONY: test\ntest:\n\techo\n"),
        ("test/a", ""),
    ],
    &[("Makefile", "test: x\n\techo\nx: ; echo\n"), ("test/a", "")],
    &[("Makefile", "test::\n\techo\n"), ("test/a", "")],
    &[
        (
            "Makefile",
            "PHONY = test\n.PHONY: $(PHONY)\ntest:\n\techo\n",
        ),
        ("test/a", ""),
    ],
    &[("Makefile", "x: ; echo\n"), ("test", "")],
    &[("Makefile", "test: $(X:a=b)\n\techo\n"), ("other", "")],
];

#[test]
fn a_makefile_declares_what_make_would_make() {
    if !has_tool("make") {
        return;
    }
    MAKE.agrees_on_each(MAKEFILES);
    MAKE.agrees_on_each(CONDITIONS);
    MAKE.agrees_on_pairs(MAKEFILES);
    MAKE.agrees_on_trees(MAKE_TREES);
}

#[test]
fn what_only_make_can_know_is_not_declared() {
    for text in [
        "T = test\n$(T): ; echo\n",
        "test$(X): ; echo\n",
        "%: ; echo\n",
        "te%: ; echo\n",
        "$(eval test: ; echo)\n",
        ".DEFAULT: ; echo\n",
        "ifdef X\ntest: ; echo\nendif\n",
        "ifndef X\ntest: ; echo\nendif\n",
        "include $(wildcard *.mk)\n",
        "include ../outside.mk\n",
    ] {
        let project = Project::without_git();
        project.write("Makefile", text);
        project.write("a.mk", "test: ; echo\n");
        project.write("../outside.mk", "test: ; echo\n");
        assert_eq!(MAKE.detected(project.root()), [""; 0], "{text}");
    }
}

/// Each declares `test` or looks as if it did.
const JUSTFILES: &[&str] = &[
    "test:\n  go test\n",
    "test:\n",
    "test: unit\nunit:\n  echo\n",
    "test: && after\nafter:\n  echo\n",
    "@test:\n  echo\n",
    "test :\n  echo\n",
    "test:\r\n  echo\r\n",
    "\u{feff}test:\n  echo\n",
    "test x:\n  echo\n",
    "test x='a:b':\n  echo\n",
    "test x=\"a:b\\\"\" y=`echo a:b`:\n  echo\n",
    "test x=('a' + \"b\") y=uppercase('c:'):\n  echo\n",
    "test +x:\n  echo\n",
    "test +x='a':\n  echo\n",
    "test *x:\n  echo\n",
    "test $x='1' *$y:\n  echo\n",
    "test x y='z':\n  echo\n",
    "alias test := unit\nunit:\n  echo\n",
    "alias test := unit\nunit x:\n  echo\n",
    "alias t := test\ntest:\n  echo\n",
    "[private]\nalias test := _unit\n_unit:\n  echo\n",
    "[private]\ntest:\n  echo\n",
    "[confirm]\ntest:\n  echo\n",
    "[confirm('sure: test?')]\ntest:\n  echo\n",
    "[windows]\ntest:\n  echo\n",
    "[linux]\ntest:\n  echo\n",
    "[unix, no-cd]\ntest:\n  echo\n",
    "[windows, linux]\ntest:\n  echo\n",
    "[windows]\n[linux]\ntest:\n  echo\n",
    "[linux]\ntest:\n  echo\n[windows]\ntest:\n  echo 2\n[macos]\ntest:\n  echo 3\n",
    "[windows]\nalias test := unit\nunit:\n  echo\n",
    "[group('a]')]\n[doc: 'b']\ntest:\n  echo\n",
    "[doc(\"x\ntest:\n  echo\")]\ny:\n  echo\n",
    "test := 'x'\n",
    "export test := 'x'\n",
    "[private]\ntest := 'a:'\n",
    "x := \"\"\"\ntest:\n  echo\n\"\"\"\n",
    "x := '''\ntest:\n  echo\n'''\n",
    "x := '\ntest:\n  echo\n'\n",
    "x := '\\'\ntest:\n  echo\n",
    "x := \"\\\"\ntest:\n  echo\n\"\n",
    "x := `\ntest:\n  echo`\n",
    "x := ```\n  test:\n  echo\n```\n",
    "x := f\"a{{ \"test: \" }}b\"\ntest:\n  echo\n",
    "x := if 'a' == 'b' {\n'c'\n} else {\n'test:'\n}\ntest:\n  echo\n",
    "x := ('a' +\n'test:')\n",
    "x:\n  echo {{ \"a\ntest:\n  echo\" }}\n",
    "x:\n  echo {{{{ \"a\ntest:\n  echo\n",
    "x:\n  echo\n\n  test:\n",
    "x:\n  #!/bin/sh\n  cat <<E\n  test:\n  E\n",
    "y:\n\ttest: y\n",
    "x: (y \"a:\ntest:\n b\")\ny a:\n  echo\n",
    "x: \\\n test\ntest:\n  echo\n",
    "x: # test: a\n  echo # '\ntest: # \"c\n  echo\n",
    "# c \\\ntest:\n  echo\n",
    "# test:\n",
    "set:\n  echo\ntest: set\n",
    "import:\n  echo\ntest: import\n",
    "set quiet\nset shell := ['sh', '-c']\ntest:\n  echo\n",
    "set allow-duplicate-recipes\ntest x:\n  echo\ntest:\n  echo 2\n",
    "test:\n  # only a comment\n",
    "test-unit:\n  echo\n",
];

/// Of several files, or beside others.
const JUST_TREES: &[&[(&str, &str)]] = &[
    &[("Justfile", "test:\n  echo\n")],
    &[(".JUSTFILE", "test:\n  echo\n")],
    &[
        ("justfile", "test:\n  echo\n"),
        (".justfile", "test:\n  echo\n"),
    ],
    &[
        ("justfile", "import 'a/b.just'\n"),
        ("a/b.just", "import? 'c.just'\n"),
        ("a/c.just", "test:\n  echo\n"),
    ],
    &[("justfile", "import? 'none.just'\nlint:\n  echo\n")],
    &[
        ("justfile", "[windows]\nimport 'a.just'\n"),
        ("a.just", "test:\n  echo\n"),
    ],
    &[
        ("justfile", "import 'a.just'\nalias test := unit\n"),
        ("a.just", "unit:\n  echo\n"),
    ],
    &[
        (
            "justfile",
            "set allow-duplicate-recipes\nimport 'a.just'\ntest:\n  echo\n",
        ),
        ("a.just", "test x:\n  echo\n"),
    ],
    &[
        ("justfile", "x:\n  import 'a.just'\n"),
        ("a.just", "test:\n  echo\n"),
    ],
    &[
        ("justfile", "mod a\nlint:\n  echo\n"),
        ("a.just", "test:\n  echo\n"),
    ],
];

#[test]
fn a_justfile_declares_what_just_would_run() {
    if !has_tool("just") {
        return;
    }
    JUST.agrees_on_each(JUSTFILES);
    JUST.agrees_on_pairs(JUSTFILES);
    JUST.agrees_on_trees(JUST_TREES);
}
