//! What a declaration looks like, for whoever has none yet or wrote something else.

use super::syntax::Syntax;

impl Syntax {
    /// What an entry of `checks` looks like.
    pub fn entry(self) -> String {
        let pairs = [
            self.pair("id", "\"test\""),
            self.pair("executable", "\"go\""),
            self.pair("args", "[\"test\", \"./...\"]"),
        ];
        format!("{{{}}}", pairs.join(", "))
    }

    /// How a check is declared.
    pub fn a_check(self) -> String {
        match self {
            Self::Json => format!("an entry of checks: {}", self.entry()),
            Self::Toml => {
                "a check is [[checks]] and below it id = \"test\" and executable = \"go\""
                    .to_owned()
            }
        }
    }

    /// How a sensor is declared.
    pub fn a_sensor(self) -> String {
        match self {
            Self::Json => {
                let source = "{\"source\": {\"command\": \"go test ./...\"}}";
                format!("an entry of sensors: \"test\": {source}")
            }
            Self::Toml => {
                "a sensor is [sensors.test] and below it source.command = \"go test ./...\""
                    .to_owned()
            }
        }
    }
}
