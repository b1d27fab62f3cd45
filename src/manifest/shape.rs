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
    /// Kinds of map whose fields people write here by mistake.
    pub elsewhere: &'static [Elsewhere],
    /// Words that other tools use, and ours for the same.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Names that are refused here with a reason of their own.
    pub refused: &'static [(&'static str, &'static str)],
}

/// A kind of map whose fields stand somewhere else.
#[derive(Debug)]
pub(super) struct Elsewhere {
    pub shape: &'static Shape,
    /// What to say of one.
    pub hint: &'static str,
    /// The field of this map that holds a map of that kind.
    pub within: Option<&'static str>,
}

impl Elsewhere {
    /// Whether its fields are those of the whole file.
    pub fn is_top(&self) -> bool {
        self.shape.has("checks")
    }
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
    /// A check's name.
    Id,
    /// A folder in the root.
    Folder,
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

    /// What every map of this kind has, in words; `None` where it needs nothing.
    pub fn needs(&self) -> Option<String> {
        let required = self.fields.iter().filter(|field| field.required);
        let list: Vec<&str> = required.map(|field| field.name).collect();
        let every = self.what.strip_prefix("a ").unwrap_or(self.what);
        (!list.is_empty()).then(|| format!("every {every} has {}", list.join(" and ")))
    }

    /// The names of all its fields, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name).collect()
    }
}
