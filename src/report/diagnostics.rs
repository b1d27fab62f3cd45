//! Problems in files that people wrote: where, the source line, a caret, what to do.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::excerpt::Excerpt;
use super::header::shown_path;
use super::page::Page;
use super::style::Style;
use crate::model::Diagnostic;
use crate::text::{Printable, plural};

/// The problems alone, without a last line.
pub fn diagnostics(problems: &[Diagnostic], style: &Style, out: &mut impl Write) -> io::Result<()> {
    write(&mut Page::new(out, *style), problems)
}

/// `1 problem in harness.json`, `3 problems in 2 files`.
pub(super) fn count(problems: &[Diagnostic]) -> String {
    let files: BTreeSet<&str> = problems
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    let more: u64 = problems.iter().map(|problem| problem.more).sum();
    let what = plural(problems.len() as u64 + more, "problem");
    match files.len() {
        1 => format!("{what} in {}", problems[0].path),
        many => format!("{what} in {}", plural(many as u64, "file")),
    }
}

/// The problems, one after another.
pub(super) fn write(page: &mut Page, problems: &[Diagnostic]) -> io::Result<()> {
    for problem in problems {
        let mut place = shown_path(&problem.path, page.style.home);
        for number in [problem.line, problem.line.and(problem.column)]
            .into_iter()
            .flatten()
        {
            place.push(':');
            place.push_str(&number.to_string());
        }
        page.line(&format!("{place}: {}", Printable::new(&problem.message)))?;
        let mut gutter = String::new();
        if let (Some(line), Some(excerpt)) = (problem.line, &problem.excerpt) {
            let (source, marked) = &**excerpt;
            let excerpt = Excerpt {
                indent: 2,
                number: line,
                source,
                mark: Some((marked.start, marked.len())),
            };
            excerpt.write(page)?;
            gutter = " ".repeat(line.to_string().len() + 1);
        }
        if let Some(hint) = &problem.hint {
            page.line(&format!("  {gutter}= {}", Printable::new(hint)))?;
        }
    }
    Ok(())
}
