//! The items of all lists that are open, the innermost last: where one closes, its items go into
//! exactly the memory that they need.

/// So many items are not copied: the memory that they grew in becomes theirs.
const MANY: usize = 1 << 12;

/// See the module.
pub(super) struct Items<T>(Vec<T>);

impl<T> Items<T> {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    /// Begins a list; what it begins at is to be handed to [`Self::close`].
    pub(super) fn open(&self) -> usize {
        self.0.len()
    }

    /// The items so far of the list that begins at `first`, which must be the innermost.
    pub(super) fn since(&self, first: usize) -> &[T] {
        &self.0[first..]
    }

    /// Adds to the innermost list.
    pub(super) fn push(&mut self, item: T) {
        self.0.push(item);
    }

    /// Ends the innermost list, which begins at `first`.
    pub(super) fn close(&mut self, first: usize) -> Box<[T]> {
        if self.0.len() - first < MANY {
            return self.0.drain(first..).collect();
        }
        let others = self.0.drain(..first).collect();
        std::mem::replace(&mut self.0, others).into_boxed_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::{Items, MANY};

    #[test]
    fn each_list_gets_its_own_items_however_many() {
        for many in [0, 3, MANY, 3 * MANY] {
            let mut items = Items::new();
            let outer = items.open();
            items.push(1);
            let inner = items.open();
            for i in 0..many {
                items.push(i);
            }
            assert_eq!(items.since(inner).len(), many);
            assert_eq!(*items.close(inner), *(0..many).collect::<Vec<_>>());
            items.push(2);
            assert_eq!(*items.close(outer), [1, 2]);
        }
    }
}
