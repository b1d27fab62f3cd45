//! What holds in spite of conditions that only make can judge: what every branch says.

use super::condition::Step;

/// Facts about targets, each set one bit a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct State {
    /// They have a recipe.
    pub recipe: u8,
    /// They have prerequisites.
    pub needs: u8,
    /// It is done even where a file has their name.
    pub always: u8,
    /// Those whose recipe a line that now follows would be.
    pub rule: u8,
}

impl State {
    fn and(self, other: Self) -> Self {
        Self {
            recipe: self.recipe & other.recipe,
            needs: self.needs & other.needs,
            always: self.always & other.always,
            rule: self.rule & other.rule,
        }
    }
}

/// One conditional that is not closed yet.
#[derive(Debug)]
struct Conditional {
    before: State,
    /// What the branches that can be taken have in common so far.
    common: Option<State>,
    /// One of the branches so far is taken for certain, so that no later one is.
    settled: bool,
    /// This branch can be taken.
    live: bool,
    /// It is taken for certain.
    certain: bool,
}

/// The state at a line, by the conditionals around and before it.
#[derive(Debug, Default)]
pub(super) struct Branches {
    open: Vec<Conditional>,
    pub now: State,
}

impl Branches {
    /// Make passes over this line.
    pub(super) fn is_dead(&self) -> bool {
        self.open.last().is_some_and(|inner| !inner.live)
    }

    /// Make does not pass over this line, whatever the conditions come to.
    pub(super) fn is_certain(&self) -> bool {
        self.open.last().is_none_or(|inner| inner.certain)
    }

    pub(super) fn step(&mut self, step: &Step) {
        match *step {
            Step::If(holds) => self.begin(holds),
            Step::Else(holds) => self.turn(holds),
            Step::End => self.end(),
        }
    }

    fn begin(&mut self, holds: Option<bool>) {
        let reached = !self.is_dead();
        let certain = self.is_certain();
        self.open.push(Conditional {
            before: self.now,
            common: None,
            settled: holds == Some(true),
            live: reached && holds != Some(false),
            certain: certain && holds == Some(true),
        });
    }

    fn turn(&mut self, holds: Option<bool>) {
        let outer = self.open.len().saturating_sub(2);
        let reached = self.open.len() < 2 || self.open[outer].live;
        let Some(inner) = self.open.last_mut() else {
            return;
        };
        inner.leave_branch(self.now);
        inner.live = reached && !inner.settled && holds != Some(false);
        // Whether every branch before it is out of the question is not followed.
        inner.certain = false;
        inner.settled |= holds == Some(true);
        self.now = inner.before;
    }

    fn end(&mut self) {
        let Some(mut inner) = self.open.pop() else {
            return;
        };
        inner.leave_branch(self.now);
        if !inner.settled {
            inner.live = true;
            inner.leave_branch(inner.before);
        }
        self.now = inner.common.unwrap_or(inner.before);
    }
}

impl Conditional {
    fn leave_branch(&mut self, state: State) {
        if self.live {
            self.common = Some(self.common.map_or(state, |common| common.and(state)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Branches, Step};

    /// What is declared at the end: `i0`, `i1`, `i?` begin a conditional by what its condition is,
    /// `e…` another branch, `.` ends it; a digit declares that target.
    fn declared(script: &str) -> u8 {
        let mut branches = Branches::default();
        for word in script.split(' ') {
            let holds = match word.as_bytes().get(1) {
                Some(b'0') => Some(false),
                Some(b'1') => Some(true),
                _ => None,
            };
            match word.as_bytes()[0] {
                b'i' => branches.step(&Step::If(holds)),
                b'e' => branches.step(&Step::Else(holds)),
                b'.' => branches.step(&Step::End),
                digit if !branches.is_dead() => branches.now.needs |= 1 << (digit - b'0'),
                _ => {}
            }
        }
        branches.now.needs
    }

    #[test]
    fn what_every_branch_says_holds() {
        for (script, expected) in [
            ("0 i? 1 .", 0b01),
            ("i? 0 e1 0 .", 0b1),
            ("i? 0 e1 1 .", 0),
            ("i? 0 1 e? 0 e1 0 2 .", 0b1),
            ("i? 0 e? 0 .", 0),
            ("i1 0 e1 1 .", 0b01),
            ("i0 0 e1 1 .", 0b10),
            ("i0 0 e0 1 .", 0),
            ("i0 i1 0 e1 0 . 1 . 2", 0b100),
            ("i? i1 0 . e1 i? 0 e1 0 . .", 0b1),
            ("i? 0 e1 i0 1 e1 0 . .", 0b1),
            (". e1 0", 0b1),
        ] {
            assert_eq!(declared(script), expected, "{script}");
        }
    }
}
