//! What may be typed. Nothing is decided here.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use super::parse::ParseArgs;

/// One verdict on a source tree.
#[derive(Debug, Parser)]
#[command(
    name = "check",
    version,
    about = "One verdict on a source tree: runs its checks and fails only on what is new",
    after_help = "Exit codes: 0 passed, 1 failed (something new is wrong), 2 no verdict.",
    disable_help_subcommand = true
)]
pub struct Cli {
    /// Without a command: run the checks.
    #[command(flatten)]
    pub run: RunArgs,
    /// What to do instead.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What may stand before a command as well as behind it.
const ANYWHERE: [&str; 4] = ["directory", "manifest", "record_file", "agent"];

impl Cli {
    /// What was typed. An error is clap's own, for help and version too.
    pub fn read() -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches()?;
        if let Some(name) = matches.subcommand_name() {
            let typed = |id: &&str| {
                matches.value_source(id) == Some(ValueSource::CommandLine) && !ANYWHERE.contains(id)
            };
            let ids: Vec<&str> = matches.ids().map(clap::Id::as_str).collect();
            // A flag of the plain run does nothing for a command that does not run.
            let group = |id: &&str| !id.ends_with("Args");
            if let Some(id) = ids.into_iter().filter(group).find(typed) {
                let flag = id.replace('_', "-");
                let message = format!("--{flag} goes behind the command: check {name} --{flag}");
                return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
            }
        }
        Self::from_arg_matches(&matches)
    }
}

/// Everything but the plain run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the checks (the same as `check` alone)
    Run(RunArgs),
    /// Show the last verdict again
    Last(LastArgs),
    /// Record, show or tighten the baseline of known failures
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// List what would run, without running it
    List(ListArgs),
    /// Write a harness.json with the checks that were found here
    Init(InitArgs),
    /// Read the manifest and say what is wrong with it, without running anything
    Validate(ValidateArgs),
    /// Print the JSON Schema of a file
    Schema(SchemaArgs),
    /// Read a tool's output from standard input and print its failures
    Parse(ParseArgs),
    /// Show what this host gives to checks, tried out, and what runs left behind
    #[command(visible_alias = "doctor")]
    Host(HostArgs),
    /// What `host` launches
    #[command(name = "__attempts", hide = true)]
    Attempts(AttemptsArgs),
}

/// Where to look.
#[derive(Debug, Args, Clone, Default)]
pub struct PlaceArgs {
    /// Work in this folder
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Use this manifest, or the harness in this folder; the root is then the repository of the
    /// working directory
    #[arg(long, value_name = "FILE", global = true)]
    pub manifest: Option<PathBuf>,
    /// Use a tracker's list of records in place of a manifest; the root is as with --manifest
    #[arg(long, value_name = "FILE", conflicts_with = "manifest", global = true)]
    pub record_file: Option<PathBuf>,
    /// Behave as for a coding agent
    #[arg(long, global = true)]
    pub agent: bool,
}

impl PlaceArgs {
    /// What was typed, so that it can be typed again.
    pub fn words(&self) -> Vec<String> {
        let typed = [
            ("-C", &self.directory),
            ("--manifest", &self.manifest),
            ("--record-file", &self.record_file),
        ];
        typed
            .into_iter()
            .filter_map(|(flag, path)| {
                Some([flag.to_owned(), path.as_ref()?.display().to_string()])
            })
            .flatten()
            .collect()
    }
}

/// What to run, how, and how to say it.
#[derive(Debug, Args, Clone, Default)]
pub struct RunArgs {
    /// Ids, areas, categories or targets of the checks to run (default: all)
    #[arg(value_name = "SELECTOR")]
    pub selectors: Vec<String>,
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
    /// See [`SelectArgs`].
    #[command(flatten)]
    pub select: SelectArgs,
    /// See [`HowArgs`].
    #[command(flatten)]
    pub how: HowArgs,
    /// See [`PrintArgs`].
    #[command(flatten)]
    pub print: PrintArgs,
    /// Judge without the baseline: every failure counts
    #[arg(long)]
    pub no_baseline: bool,
    /// The same as `check baseline record`
    #[arg(long, hide = true)]
    pub update_baseline: bool,
}

/// Which checks.
#[derive(Debug, Args, Clone, Default)]
pub struct SelectArgs {
    /// Run only these checks (comma-separated, may be repeated)
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Leave these checks out (comma-separated, may be repeated)
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub skip: Vec<String>,
}

/// How checks are run.
#[derive(Debug, Args, Clone, Default)]
pub struct HowArgs {
    /// Checks at once
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Limit for the whole run, as in `10m` or `1h30m`
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// End the run at the first new failure of a blocking check (not where a baseline is made)
    #[arg(long)]
    pub fail_fast: bool,
    /// Wait for another run in this root, for at most DURATION
    #[arg(long, value_name = "DURATION", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub wait: Option<String>,
    /// Refuse every check that cannot be contained
    #[arg(long, conflicts_with = "uncontained")]
    pub require_containment: bool,
    /// Run the checks directly, without containment
    #[arg(long)]
    pub uncontained: bool,
    /// Permit checks that ask for the host's network where containment is required
    #[arg(long, value_name = "NETWORK", value_enum)]
    pub network: Option<PermittedNetwork>,
}

/// What a caller may permit beyond required containment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PermittedNetwork {
    /// The host's, to the checks that ask for it.
    Host,
}

/// How the verdict is printed.
#[derive(Debug, Args, Clone, Default)]
pub struct PrintArgs {
    /// Print this report (human, json), or write it to FILE; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub report: Vec<String>,
    /// The same as --report json
    #[arg(long)]
    pub json: bool,
    /// Show known failures and more
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show failing rows and the last line only
    #[arg(short, long)]
    pub quiet: bool,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How an answer that is no verdict is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportKind {
    /// One document.
    Json,
    /// Lines for people.
    Human,
}

/// How an answer that is no verdict is printed.
#[derive(Debug, Args, Clone)]
pub struct AnswerArgs {
    /// How to print it
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ReportKind::Human)]
    pub report: ReportKind,
    /// The same as --report json
    #[arg(long)]
    pub json: bool,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

impl AnswerArgs {
    /// Whether a document was asked for.
    pub fn for_programs(&self) -> bool {
        self.json || self.report == ReportKind::Json
    }

    /// The same for a verdict that stands in its place.
    pub fn as_print(&self) -> PrintArgs {
        PrintArgs {
            json: self.for_programs(),
            color: self.color,
            ..PrintArgs::default()
        }
    }
}

/// What would run.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Ids, areas, categories or targets (default: what `check` would run)
    #[arg(value_name = "SELECTOR")]
    pub selectors: Vec<String>,
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
    /// See [`SelectArgs`].
    #[command(flatten)]
    pub select: SelectArgs,
    /// See [`AnswerArgs`].
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What to validate.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// The manifest (default: the one that `check` would use); its root is its own folder, but
    /// with --manifest
    #[arg(value_name = "FILE", conflicts_with_all = ["manifest", "record_file"])]
    pub file: Option<PathBuf>,
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
    /// See [`AnswerArgs`].
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What to look at.
#[derive(Debug, Args)]
pub struct HostArgs {
    /// Of units, show only those of the last run of this tree
    #[arg(long)]
    pub last: bool,
    /// End what is left of runs that are gone, and nothing else
    #[arg(long, conflicts_with_all = ["last", "verbose"])]
    pub clean: bool,
    /// Show every name
    #[arg(short, long)]
    pub verbose: bool,
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
    /// See [`AnswerArgs`].
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What to try.
#[derive(Debug, Args)]
pub struct AttemptsArgs {
    /// What there is to be reached, as a document
    #[arg(value_name = "TARGETS")]
    pub targets: String,
}

/// Which schema.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Whose schema
    #[arg(value_name = "OF", value_enum)]
    pub of: SchemaOf,
}

/// What has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// harness.json
    Manifest,
}

/// Where to begin.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// The last verdict.
#[derive(Debug, Args)]
pub struct LastArgs {
    /// Show only these checks
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
    /// See [`PrintArgs`].
    #[command(flatten)]
    pub print: PrintArgs,
}

/// What to do with the baseline.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Run the checks and record today's failures as known
    Record(BaselineArgs),
    /// Show what is forgiven
    Show(BaselineArgs),
    /// Run the checks and drop recorded failures that are fixed
    Tighten(BaselineArgs),
}

/// Which part of the baseline, and how checks are run for it.
#[derive(Debug, Args, Clone, Default)]
pub struct BaselineArgs {
    /// See [`PlaceArgs`].
    #[command(flatten)]
    pub place: PlaceArgs,
    /// See [`SelectArgs`].
    #[command(flatten)]
    pub select: SelectArgs,
    /// See [`HowArgs`].
    #[command(flatten)]
    pub how: HowArgs,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}
