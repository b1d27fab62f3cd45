//! The rows of one check on their way to the ratchet.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::result::{self, Rows};
use super::{Account, TreeJudge};
use crate::model::{
    CheckResult, CheckSpec, Failure, JudgedFailure, Level, Outcome, RowSink, RowState, Status,
};
use crate::ratchet::{
    Baseline, Comparison, Facts, Fingerprint, Identity, Kept, Looked, MAX_KEPT, Record, Recordable,
    Tally, judge, last_lines, ran_whole, source_key,
};
use crate::text::SourceTree;

pub(super) struct Sink {
    judge: TreeJudge,
    spec: CheckSpec,
    baseline: Option<Arc<Baseline>>,
    comparison: Comparison,
    kept: Kept,
    sources: SourceTree,
    /// Rows as records, where they may be wanted as baseline.
    drafts: Option<Drafts>,
}

#[derive(Default)]
struct Drafts {
    records: HashMap<Fingerprint, Draft>,
    tools: BTreeSet<&'static str>,
}

/// A record whose count is only known when it is known which level counts.
struct Draft {
    record: Record,
    errors: u64,
    warnings: u64,
}

impl Sink {
    pub(super) fn new(judge: TreeJudge, spec: CheckSpec) -> Self {
        let bench = &judge.bench;
        let baseline = bench.baseline(&spec.id);
        Self {
            comparison: bench.comparison(&spec.id, baseline.as_deref()),
            baseline,
            kept: Kept::default(),
            sources: SourceTree::new(&bench.root),
            drafts: bench.recording.then(Drafts::default),
            spec,
            judge,
        }
    }

    /// The row that says what no row of the tool says.
    fn made(&self, headline: &str, outcome: &Outcome) -> JudgedFailure {
        let mut message = headline.to_owned();
        for line in last_lines(outcome) {
            message.push('\n');
            message.push_str(&line);
        }
        let row = Failure::new(Failure::ROW_LESS, message);
        let identity = Identity::new(&row, None, &self.judge.bench.places);
        JudgedFailure {
            path: None,
            line: None,
            column: None,
            test: None,
            rule: None,
            level: row.level,
            tool: row.tool.to_owned(),
            outside: false,
            source: None,
            state: RowState::New,
            fingerprint: identity.fingerprint(&self.spec.id).to_string(),
            count: 1,
            also: Vec::new(),
            message: row.message,
        }
    }
}

impl RowSink for Sink {
    fn row(&mut self, row: Failure) {
        let line = match (&row.path, row.line) {
            (Some(path), Some(line)) if !row.outside => self.sources.line(path, line),
            _ => None,
        };
        let identity = Identity::new(&row, line, &self.judge.bench.places);
        let met = self.comparison.row(&identity, row.level);
        if let Some(drafts) = &mut self.drafts
            && !self.comparison.too_many()
        {
            drafts.tools.insert(row.tool);
            let fresh = || Draft {
                record: Record::new(&self.spec.id, &identity, None, 0),
                errors: 0,
                warnings: 0,
            };
            let draft = drafts.records.entry(met.fingerprint).or_insert_with(fresh);
            match row.level {
                Level::Error => draft.errors += 1,
                Level::Warning => draft.warnings += 1,
            }
        }
        self.kept.row(row, met, || line.map(source_key));
    }

    fn end(mut self: Box<Self>, outcome: Outcome) -> CheckResult {
        let errors = self.comparison.rows(Level::Error);
        let warnings = self.comparison.rows(Level::Warning);
        let too_many = self.comparison.too_many();
        let compared = std::mem::replace(
            &mut self.comparison,
            Comparison::new(&self.spec.id, None, |_| false),
        )
        .finish(
            self.baseline.as_deref(),
            Looked {
                whole: ran_whole(&self.spec, &outcome, errors, warnings),
                not_built: &outcome.findings.not_built,
            },
        );
        let judgement = judge(&Facts {
            spec: &self.spec,
            outcome: &outcome,
            limits: &self.judge.bench.limits,
            errors: compared.errors,
            warnings: compared.warnings,
            too_many,
            fixed: compared.fixed,
        });
        let gates = judgement.gates;
        let mut counted = gates.map_or(Tally::default(), |level| compared.tally(level));
        let mut new = gates.map_or(Vec::new(), |level| compared.new_fingerprints(level));
        // Beside exit 0 rows are shown and do not count; of what was not judged they say nothing.
        let mut shown = match (gates, judgement.status) {
            (Some(_), _) | (None, Status::Pass) => {
                std::mem::take(&mut self.kept).finish(gates, &compared)
            }
            (None, _) => Vec::new(),
        };
        if let Some(headline) = &judgement.made {
            let row = self.made(headline, &outcome);
            new.extend(Fingerprint::parse(&row.fingerprint));
            shown.insert(0, row);
            shown.truncate(MAX_KEPT);
            counted.new += 1;
        }
        let (today, tools) = match self.drafts.take() {
            Some(drafts) if judgement.recordable == Recordable::Rows => drafts.finish(gates),
            _ => (Vec::new(), Vec::new()),
        };
        self.judge.keep(Account {
            check: self.spec.id.clone(),
            recordable: judgement.recordable.clone(),
            new,
            unmet: compared.unmet,
            today,
            tools,
        });
        let rows = Rows {
            shown,
            counted,
            fixed: compared.fixed,
            unseen: compared.unseen,
        };
        result::ended(&self.spec, outcome, judgement, rows)
    }
}

impl Drafts {
    /// The records of the rows that count.
    fn finish(self, gates: Option<Level>) -> (Vec<Record>, Vec<&'static str>) {
        let records = self.records.into_values().map(|draft| Record {
            count: match gates {
                Some(Level::Error) => draft.errors,
                Some(Level::Warning) => draft.warnings,
                None => 0,
            },
            ..draft.record
        });
        let mut records: Vec<Record> = records.filter(|record| record.count > 0).collect();
        records.sort_unstable();
        (records, self.tools.into_iter().collect())
    }
}
