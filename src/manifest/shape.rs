//! The kinds of map that a manifest is made of: their fields, each with its type. One table that
//! the reader, its hints and the published schema all follow, so that they cannot disagree.

/// A kind of map.
#[derive(Debug)]
pub(super) struct Shape {
    /// In messages: `a check`.
    pub what: &'static str,
    /// Before its fields' names in messages: `output.`, or nothing.
    pub prefix: &'static str,
    /// All its fields.
    pub fields: &'static [Field],
    /// Whether other keys are somebody else's, and left alone.
    pub open: bool,
    /// A kind of map whose fields people write here by mistake, and what to say of one.
    pub elsewhere: Option<(&'static Shape, &'static str)>,
    /// Words that other tools use, and ours for the same.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Names that are refused here with a reason of their own.
    pub refused: &'static [(&'static str, &'static str)],
}

/// A field of a map.
#[derive(Debug)]
pub(super) struct Field {
    pub name: &'static str,
    pub kind: Kind,
    /// A map without it is refused.
    pub required: bool,
    /// What it is, in a few words: for editors.
    pub about: &'static str,
}

/// What a field takes.
#[derive(Debug)]
pub(super) enum Kind {
    /// Anything: it is not ours.
    Any,
    /// A text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number, not below 0.
    Count,
    /// A Go duration, more than 0; an empty text is absent.
    Duration,
    /// A Go duration, not below 0; the number 0 and an empty text are the default.
    KnobDuration,
    /// A regular expression.
    Pattern,
    /// One of the registered formats.
    Format,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// A list of texts.
    Texts,
    /// A list of globs.
    Globs,
    /// Variables with their values.
    Variables,
    /// Names of variables.
    VariableNames,
    /// One map.
    Map(&'static Shape),
    /// A list of maps.
    List(&'static Shape),
    /// A map from ids to maps.
    ById(&'static Shape),
}

impl Shape {
    /// Whether `name` is one of its fields.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// What the field `name` takes.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        Some(&field.kind)
    }

    /// The names of all its fields, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name).collect()
    }
}
