//! What the statements of one justfile declare.

use super::lexer::{Lexer, Token};

/// Attributes that say on which systems an item is there.
const SYSTEMS: [&str; 9] = [
    "android",
    "dragonfly",
    "freebsd",
    "linux",
    "macos",
    "netbsd",
    "openbsd",
    "unix",
    "windows",
];

/// What stands at the top of a justfile, and matters for what can be run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item<'t> {
    /// `just name` runs it, or would.
    Recipe(&'t str, Recipe),
    /// The first name stands for the second.
    Alias(&'t str, &'t str),
    /// Another file, its path as written.
    Import(&'t str),
}

/// Whether a recipe can be run by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipe {
    /// It can.
    Runs,
    /// It has neither lines nor dependencies.
    Idle,
    /// A parameter has no default.
    NeedsArguments,
    /// A person has to say yes.
    Asks,
}

/// The items of `text` that are there on this system, in their order.
pub(super) fn items(text: &str) -> Vec<Item<'_>> {
    let mut lexer = Lexer::new(text);
    let mut items = Vec::new();
    let mut attributes = Vec::new();
    while let Some(tokens) = lexer.statement() {
        if tokens.first() == Some(&Token::Mark("[")) {
            attributes.extend(attribute_names(&tokens));
            continue;
        }
        if tokens.is_empty() {
            continue;
        }
        let item = match header(&tokens) {
            // Its body has to be passed over, whether or not it is there.
            Some(header) => {
                let works = lexer.body() || header.has_dependencies;
                let recipe = match () {
                    () if header.needs_arguments => Recipe::NeedsArguments,
                    () if attributes.contains(&"confirm") => Recipe::Asks,
                    () if works => Recipe::Runs,
                    () => Recipe::Idle,
                };
                Some(Item::Recipe(header.name, recipe))
            }
            None => other(&tokens),
        };
        items.extend(item.filter(|_| is_here(&attributes)));
        attributes.clear();
    }
    items
}

/// Without one of [`SYSTEMS`] an item is there on all.
fn is_here(attributes: &[&str]) -> bool {
    let mut systems = attributes
        .iter()
        .filter(|name| SYSTEMS.contains(name))
        .peekable();
    systems.peek().is_none()
        || systems.any(|name| *name == std::env::consts::OS || (*name == "unix" && cfg!(unix)))
}

/// The names in `[a, b("c"), d: 'e']`: each stands behind a bracket or a comma of its own level.
fn attribute_names<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut names = Vec::new();
    let mut depth = 0;
    for pair in tokens.windows(2) {
        depth = pair[0].depth_after(depth);
        if let [Token::Mark("[" | ","), Token::Name(name)] = pair
            && depth == 1
        {
            names.push(*name);
        }
    }
    names
}

/// The first line of a recipe.
struct Header<'t> {
    name: &'t str,
    needs_arguments: bool,
    has_dependencies: bool,
}

/// `@name parameter='default' +rest: dependencies`.
fn header<'t>(tokens: &[Token<'t>]) -> Option<Header<'t>> {
    let tokens = tokens.strip_prefix(&[Token::Mark("@")]).unwrap_or(tokens);
    let (Token::Name(name), mut rest) = tokens.split_first()? else {
        return None;
    };
    let mut needs_arguments = false;
    loop {
        let mut may_be_none = false;
        while let [Token::Mark(mark @ ("$" | "+" | "*")), after @ ..] = rest {
            may_be_none |= *mark == "*";
            rest = after;
        }
        match rest {
            [Token::Mark(":"), dependencies @ ..] => {
                return Some(Header {
                    name,
                    needs_arguments,
                    has_dependencies: !dependencies.is_empty(),
                });
            }
            [Token::Name(_), Token::Mark("="), value @ ..] => rest = after_value(value),
            [Token::Name(_), after @ ..] => {
                needs_arguments |= !may_be_none;
                rest = after;
            }
            _ => return None,
        }
    }
}

/// What stands behind a parameter's default.
fn after_value<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    match tokens {
        [Token::Mark("!"), rest @ ..] => after_value(rest),
        [Token::Mark("(" | "["), ..] => after_group(tokens),
        // The arguments of a function.
        [Token::Name(_), Token::Mark("("), ..] => after_group(&tokens[1..]),
        // `x'~/a'`: the name only says how the string is read.
        [
            Token::Name("x"),
            Token::Literal(_) | Token::Computed,
            rest @ ..,
        ]
        | [_, rest @ ..] => rest,
        [] => &[],
    }
}

/// What stands behind the bracket that closes the first one.
fn after_group<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        depth = token.depth_after(depth);
        if depth == 0 {
            return &tokens[at + 1..];
        }
    }
    &[]
}

/// What is no recipe. Settings, variables, functions and modules declare nothing to run.
fn other<'t>(tokens: &[Token<'t>]) -> Option<Item<'t>> {
    match tokens {
        [
            Token::Name("alias"),
            Token::Name(name),
            Token::Mark(":="),
            Token::Name(target),
        ] => Some(Item::Alias(name, target)),
        [Token::Name("import"), Token::Literal(path)]
        | [
            Token::Name("import"),
            Token::Mark("?"),
            Token::Literal(path),
        ] => Some(Item::Import(path)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Item::{Alias, Import, Recipe as Is};
    use super::Recipe::{Asks, Idle, NeedsArguments, Runs};
    use super::{Item, items};

    fn one(text: &str) -> Option<Item<'_>> {
        let mut items = items(text);
        assert!(items.len() < 2, "{items:?}");
        items.pop()
    }

    #[test]
    fn a_recipe_runs_alone_where_every_parameter_has_a_default() {
        for (header, recipe) in [
            ("test:", Runs),
            ("@test:", Runs),
            ("test a='x: y' $b=(c + 'd') e=f('g', h) *i:", Runs),
            ("test a=`echo :` b=x'~' c=['d'] e=!f:", Runs),
            ("test *args: build && done", Runs),
            ("test +args='x':", Runs),
            ("test +args:", NeedsArguments),
            ("test $a:", NeedsArguments),
            ("test a b='c':", NeedsArguments),
        ] {
            let text = format!("{header}\n    go test\n");
            assert_eq!(one(&text), Some(Is("test", recipe)), "{header}");
        }
        assert_eq!(one("test:\n\nx := 'a'\n"), Some(Is("test", Idle)));
        assert_eq!(one("test: a\n"), Some(Is("test", Runs)));
        assert_eq!(one("[confirm('sure?')]\ntest: a\n"), Some(Is("test", Asks)));
    }

    #[test]
    fn words_that_begin_other_items_may_be_recipes() {
        for name in ["set", "alias", "import", "mod", "export", "if"] {
            let text = format!("{name}:\n  x\n");
            assert_eq!(one(&text), Some(Is(name, Runs)));
        }
        assert_eq!(one("alias t := test"), Some(Alias("t", "test")));
        assert_eq!(one("import 'a.just' # b"), Some(Import("a.just")));
        assert_eq!(one("import? \"a.just\""), Some(Import("a.just")));
        for none in [
            "test := 'a:'",
            "export test := 'a'",
            "set test := true",
            "mod test",
            "test(a) := a",
            "import x'$A/b'",
            "import \"a\\n\"",
            "unexport test",
            "syntax error: here 'a'",
        ] {
            let found = one(none).filter(|item| !matches!(item, Is("syntax", _)));
            assert_eq!(found, None, "{none}");
        }
    }

    #[test]
    fn attributes_say_where_an_item_is_there() {
        for (attributes, here) in [
            ("[private]\n[no-cd]\n", true),
            ("[unix]\n", true),
            ("[windows]\n", false),
            ("[windows, linux]\n", true),
            ("[group('linux')]\n", true),
            ("[windows]\n[linux]\n", true),
            ("[doc: 'a'\n, macos]\n", false),
        ] {
            let text = format!("{attributes}test:\n  x\n");
            let found = cfg!(target_os = "linux") == here || one(&text).is_some() == here;
            assert!(found, "{attributes}");
            if cfg!(target_os = "linux") {
                assert_eq!(one(&text).is_some(), here, "{attributes}");
            }
        }
    }
}
