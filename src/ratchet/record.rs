//! One line of a baseline file: a finding that is forgiven, and the proof that nobody edited it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use super::identity::Identity;
use crate::model::CheckId;
use crate::text::sha256_hex;

/// A forgiven finding. Fields stand in the file in this order; absent ones are left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// See [`Identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// See [`Identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// See [`Identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// See [`Identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// See [`Identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The tool's version when it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How many equal findings are forgiven, at least 1.
    pub count: u64,
    /// 32 hex digits.
    pub fingerprint: String,
}

/// What stands between a record's fields and its own digest.
const SUM: &str = ",\"line_sum\":\"";

/// Why a line is no record. The texts say what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Cut short, or of another making.
    #[error("is no record: {0}")]
    NotJson(String),
    /// The digest over the line is missing or differs.
    #[error("does not match its own line_sum: it was edited by hand")]
    Edited,
    /// The fields are not what was fingerprinted.
    #[error("does not match its own fingerprint: it was edited by hand, or is another check's")]
    Foreign,
}

impl Record {
    /// `count` findings of `check` with this identity.
    pub fn new(check: &CheckId, identity: &Identity<'_>, tool: Option<&str>, count: u64) -> Self {
        Self {
            path: identity.path.as_deref().map(str::to_owned),
            rule: identity.rule.as_deref().map(str::to_owned),
            test: identity.test.as_deref().map(str::to_owned),
            message: identity.message.as_deref().map(str::to_owned),
            source: identity.source.as_deref().map(str::to_owned),
            tool: tool.map(str::to_owned),
            count,
            fingerprint: identity.fingerprint(check).to_string(),
        }
    }

    /// What it forgives.
    pub fn identity(&self) -> Identity<'_> {
        Identity {
            path: self.path.as_deref().map(Cow::Borrowed),
            rule: self.rule.as_deref().map(Cow::Borrowed),
            test: self.test.as_deref().map(Cow::Borrowed),
            message: self.message.as_deref().map(Cow::Borrowed),
            source: self.source.as_deref().map(Cow::Borrowed),
        }
    }

    /// The line, its digest last, without a line end.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let mut line = serde_json::to_string(self)?;
        line.pop();
        let sum = line_sum(&line);
        line.push_str(SUM);
        line.push_str(&sum);
        line.push_str("\"}");
        Ok(line)
    }

    /// The record of `check` on `line`, which has no line end.
    pub fn from_line(check: &CheckId, line: &str) -> Result<(Self, Fingerprint), RecordError> {
        let Some((fields, sum)) = line.rsplit_once(SUM) else {
            // Told apart, because a cut line wants another cure than an edited one.
            let whole = serde_json::from_str::<serde::de::IgnoredAny>(line);
            return Err(match whole {
                Ok(_) => RecordError::Edited,
                Err(error) => RecordError::NotJson(error.to_string()),
            });
        };
        if sum.strip_suffix("\"}") != Some(line_sum(fields).as_str()) {
            return Err(RecordError::Edited);
        }
        let record = Self::from_fields(fields)?;
        let print = record.identity().fingerprint(check);
        if Fingerprint::parse(&record.fingerprint) != Some(print) || record.count == 0 {
            return Err(RecordError::Foreign);
        }
        Ok((record, print))
    }

    /// The record on a line that [`Record::from_line`] took before.
    pub(super) fn again(line: &str) -> Option<Self> {
        let (fields, _) = line.rsplit_once(SUM)?;
        Self::from_fields(fields).ok()
    }

    fn from_fields(fields: &str) -> Result<Self, RecordError> {
        serde_json::from_str(&format!("{fields}}}"))
            .map_err(|error| RecordError::NotJson(error.to_string()))
    }
}

/// 8 hex digits over a line's text up to them.
fn line_sum(fields: &str) -> String {
    let mut sum = sha256_hex(fields.as_bytes());
    sum.truncate(8);
    sum
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Identity, Record, RecordError};
    use crate::model::{CheckId, Failure};
    use crate::ratchet::Places;

    fn lint() -> CheckId {
        CheckId::new("lint").unwrap()
    }

    fn record() -> Record {
        let mut row = Failure::new("golangci-lint", "a \"quoted\" <b> & é\u{7}");
        row.path = Some("a.go".to_owned());
        let identity =
            Identity::new(&row, Some("f()"), &Places::new(Path::new("/r"))).fingerprint(&lint());
        let places = Places::new(Path::new("/r"));
        let made = Record::new(&lint(), &Identity::new(&row, Some("f()"), &places), None, 2);
        assert_eq!(made.fingerprint, identity.to_string());
        made
    }

    #[test]
    fn a_line_comes_back_as_the_record_it_was() {
        let line = record().to_line().unwrap();
        assert!(line.starts_with(r#"{"path":"a.go","message":"a \"quoted\" <b> & é\u0007","source":"f()","count":2,"fingerprint":""#), "{line}");
        let (back, _) = Record::from_line(&lint(), &line).unwrap();
        assert_eq!(back, record());
    }

    #[test]
    fn every_edit_is_noticed() {
        let line = record().to_line().unwrap();
        for edited in [
            line.replace("\"count\":2", "\"count\":3"),
            line.replace("a.go", "b.go"),
            line.replace("\"path\"", " \"path\""),
            line.replace("line_sum", "sum"),
        ] {
            assert_eq!(
                Record::from_line(&lint(), &edited),
                Err(RecordError::Edited),
                "{edited}"
            );
        }
        for cut in [1, 20, line.len() - 1] {
            assert!(Record::from_line(&lint(), &line[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_record_made_by_hand_needs_its_fingerprint_too() {
        let mut forged = record();
        forged.path = Some("b.go".to_owned());
        let line = forged.to_line().unwrap();
        assert_eq!(Record::from_line(&lint(), &line), Err(RecordError::Foreign));
        let other = CheckId::new("vet").unwrap();
        let line = record().to_line().unwrap();
        assert_eq!(Record::from_line(&other, &line), Err(RecordError::Foreign));
        let mut none = record();
        none.count = 0;
        assert!(Record::from_line(&lint(), &none.to_line().unwrap()).is_err());
    }

    #[test]
    fn a_field_of_a_later_version_is_not_ignored() {
        let line = record().to_line().unwrap();
        let fields = line.split(",\"count\"").next().unwrap();
        let fields = format!("{fields},\"until\":\"2027-01-01\",\"count\":2");
        let line = format!("{fields},\"line_sum\":\"{}\"}}", super::line_sum(&fields));
        assert!(
            matches!(Record::from_line(&lint(), &line), Err(RecordError::NotJson(text)) if text.contains("until"))
        );
    }
}
