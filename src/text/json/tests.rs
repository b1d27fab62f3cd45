use super::super::value::spelled;
use super::{FaultKind, MAX_DEPTH, Parsed, Value, parse_json, place};

fn faults(text: &str) -> Vec<String> {
    let Parsed { faults, .. } = parse_json(text);
    faults
        .iter()
        .map(|f| {
            let hint = f
                .hint
                .as_deref()
                .map(|h| format!(" ({h})"))
                .unwrap_or_default();
            format!("{}..{}: {}{hint}", f.span.start, f.span.end, f.message)
        })
        .collect()
}

#[test]
fn a_tree_keeps_order_and_places() {
    let text = r#" {"b": [1, -2.5, true, null], "a": {"é": "\u00e9\ud83d\ude00\n\/"}} "#;
    let parsed = parse_json(text);
    assert!(parsed.faults.is_empty());
    let root = parsed.root.unwrap();
    assert_eq!(root.span, place(1..text.len() - 1));
    let Value::Map(entries) = &root.value else {
        panic!("no map")
    };
    assert_eq!(
        entries.iter().map(|e| &*e.key).collect::<Vec<_>>(),
        ["b", "a"]
    );
    assert_eq!(spelled(text, &entries[0].key_span), Some("\"b\""));
    let first = &entries[0].node;
    assert_eq!(spelled(text, &first.span), Some("[1, -2.5, true, null]"));
    let Value::List(nodes) = &first.value else {
        panic!("no list")
    };
    let values: Vec<_> = nodes.iter().map(|n| n.value.clone()).collect();
    assert_eq!(
        values,
        [
            Value::Integer(1),
            Value::Number,
            Value::Bool(true),
            Value::Null
        ]
    );
    let inner = entries[1].node.value.get("é").unwrap();
    assert_eq!(inner.value.as_str(), Some("é😀\n/"));
}

#[test]
fn plain_slips_are_all_reported_and_read_on() {
    let text = "{\"a\": 1 \"b\": [1,],\n// note\nkey: 'x', # more\n \"c\": True, \"d\" = \"\\d\",}";
    assert_eq!(
        faults(text),
        [
            "7..7: a comma is missing here (write `,`)",
            "15..16: a comma before the end (take it out)",
            "19..26: JSON has no comments (take it out)",
            "27..30: a key stands in double quotes (write \"key\")",
            "32..35: a string stands in double quotes (write \" for ')",
            "37..43: JSON has no comments (take it out)",
            "50..54: expected a value, found `True` (write true)",
            "60..61: `=` after a key (write `:`)",
            "63..65: `\\d` is no escape (for a backslash write \\\\d)",
            "66..67: a comma before the end (take it out)",
        ]
    );
    let root = parse_json(text).root.unwrap();
    assert_eq!(root.value.get("key").unwrap().value.as_str(), Some("x"));
    assert_eq!(root.value.get("d").unwrap().value.as_str(), Some("\\d"));
}

#[test]
fn what_cannot_be_understood_ends_the_reading_with_one_fault() {
    for (text, fault) in [
        ("", "0..0: the file is empty"),
        (" \n", "0..2: the file is empty"),
        (
            "{\"a\": 1} x",
            "9..10: the value ends before this (take it out)",
        ),
        ("{\"a\" 1}", "1..4: `:` and a value must follow this key"),
        ("{\"a\": }", "6..7: expected a value, found `}`"),
        ("[1, 2", "0..1: `]` is missing for this"),
        ("{\"a\": [1}", "6..7: this list has no `]`"),
        (
            "{\"a\":\n",
            "5..5: expected a value, found the end of the file",
        ),
        (
            "{\"a\": \"x\n\"}",
            "6..8: this string does not end on its line (close it with a quote, or write \\n for a line end)",
        ),
        ("{\"a", "1..2: this string does not end"),
        (
            r#"{"a": "b, "c": "d"}"#,
            "11..12: expected a comma or the end behind this value",
        ),
        (
            "key: 1",
            "0..3: expected a value, found `key` (write \"key\")",
        ),
        ("[,1]", "1..2: expected a value, found `,`"),
        ("{1: 2}", "1..2: expected a key, found `1`"),
        ("[1 /* x", "3..5: this comment does not end"),
    ] {
        assert_eq!(faults(text), [fault], "{text:?}");
        assert!(parse_json(text).root.is_none(), "{text:?}");
    }
}

#[test]
fn half_characters_and_raw_control_characters_are_named() {
    for (text, fault) in [
        (
            r#""\ud800""#,
            "1..7: half of a surrogate pair is no character (write the character itself)",
        ),
        (
            r#""\udc00x""#,
            "1..7: half of a surrogate pair is no character (write the character itself)",
        ),
        (
            r#""\ud800\u0041""#,
            "1..7: half of a surrogate pair is no character (write the character itself)",
        ),
        (r#""\u12""#, "1..3: four hex digits must follow \\u"),
        (
            "\"\t\"",
            "1..2: a control character inside a string (write \\t)",
        ),
        (
            "\"\u{1}\"",
            "1..2: a control character inside a string (write \\u0001)",
        ),
        ("[01]", "1..3: `01` is no number in JSON"),
    ] {
        assert_eq!(faults(text), [fault], "{text}");
    }
}

#[test]
fn a_key_given_twice_is_found_in_small_and_large_maps() {
    let keys: Vec<String> = (0..40).map(|i| format!("\"k{i}\": {i}")).collect();
    let text = format!("{{{}, \"k3\": 0, \"k39\": 1}}", keys.join(", "));
    let parsed = parse_json(&text);
    let first = |key: &str| {
        let at = text.find(&format!("\"{key}\"")).unwrap();
        FaultKind::DuplicateKey(place(at..at + key.len() + 2))
    };
    assert_eq!(parsed.faults.len(), 2);
    assert_eq!(parsed.faults[0].kind, first("k3"));
    assert_eq!(parsed.faults[1].kind, first("k39"));
    assert_eq!(
        parse_json(r#"{"a": 1, "a": 2}"#).faults[0].kind,
        FaultKind::DuplicateKey(1..4)
    );
}

#[test]
fn nesting_has_a_limit_that_is_no_stack_overflow() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse_json(&nested(MAX_DEPTH)).faults.is_empty());
    let deep = faults(&nested(10_000));
    assert_eq!(
        deep,
        ["128..129: more than 128 lists and maps inside each other"]
    );
    assert_eq!(faults(&"{\"a\":".repeat(10_000)).len(), 1);
}

#[test]
fn a_flood_of_faults_is_bounded() {
    let text = format!("[{}", "1 ".repeat(100_000));
    assert_eq!(parse_json(&text).faults.len(), 101);
}

#[test]
fn a_byte_order_mark_is_a_fault_of_its_own_kind() {
    let parsed = parse_json("\u{feff}{}");
    assert_eq!(parsed.faults[0].kind, FaultKind::ByteOrderMark);
    assert!(parsed.root.is_some());
}

#[test]
fn a_string_is_read_to_its_own_quote() {
    let text = r#"["it's", "", "a\\", "\"", "a longer one, ending in an escape\n", "é"]"#;
    let parsed = parse_json(text);
    assert!(parsed.faults.is_empty());
    let Some(Value::List(nodes)) = parsed.root.map(|root| root.value) else {
        panic!("no list")
    };
    let texts: Vec<_> = nodes.iter().map(|node| node.value.as_str()).collect();
    let ending = "a longer one, ending in an escape\n";
    assert_eq!(texts, ["it's", "", "a\\", "\"", ending, "é"].map(Some));
    assert_eq!(
        spelled(text, &nodes[4].span).map(str::len),
        Some(ending.len() + 3)
    );
}

#[test]
fn an_endless_word_is_shown_in_part() {
    let word = "x".repeat(1 << 20);
    for text in [
        word.clone(),
        format!("[1{word}]"),
        format!("{{{word}"),
        format!("{{1{word}"),
        format!("{{\"{word}\": 1, \"{word}\": 2}}"),
    ] {
        let parsed = parse_json(&text);
        assert!(!parsed.faults.is_empty());
        for fault in parsed.faults {
            assert!(fault.message.len() < 200);
            assert!(fault.hint.is_none_or(|hint| hint.len() < 200));
        }
    }
}
