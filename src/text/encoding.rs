//! Bytes of a file that a person wrote, as text: UTF-8 or an explanation.

/// Why bytes are no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodingFault {
    /// The first byte that is wrong, everything before it being UTF-8; `None` where the file as a
    /// whole is meant.
    pub offset: Option<usize>,
    /// What is wrong, in words that stand alone.
    pub message: String,
    /// What to do.
    pub hint: &'static str,
}

/// The text that `bytes` spell in UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, EncodingFault> {
    let fault = |offset, message: &str| EncodingFault {
        offset,
        message: message.to_owned(),
        hint: "save it as UTF-8",
    };
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
            return Err(fault(None, "the file is UTF-32, not UTF-8"));
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            return Err(fault(None, "the file is UTF-16, not UTF-8"));
        }
        // Without a mark: the first two characters of a manifest are ASCII.
        [0, b, ..] | [b, 0, ..] if *b != 0 => {
            return Err(fault(None, "the file looks like UTF-16, not UTF-8"));
        }
        _ => {}
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let byte = bytes.get(offset).copied().unwrap_or(0);
        fault(Some(offset), &format!("byte 0x{byte:02X} is not UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn each_wrong_encoding_is_named() {
        let message = |bytes: &[u8]| decode(bytes).unwrap_err().message;
        assert!(message(b"\xff\xfe{\0}\0").contains("UTF-16,"));
        assert!(message(b"\xfe\xff\0{\0}").contains("UTF-16,"));
        assert!(message(b"{\0}\0").contains("looks like UTF-16"));
        assert!(message(b"\0{\0}").contains("looks like UTF-16"));
        assert!(message(b"\xff\xfe\0\0{\0\0\0").contains("UTF-32"));
        let fault = decode(b"{\"a\": \"\xe9\"}").unwrap_err();
        assert_eq!(
            (fault.offset, fault.message.as_str()),
            (Some(7), "byte 0xE9 is not UTF-8")
        );
        assert_eq!(decode("\u{feff}é".as_bytes()), Ok("\u{feff}é"));
    }
}
