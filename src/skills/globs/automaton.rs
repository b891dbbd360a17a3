//! What globset makes of a glob, a regular expression over bytes → whether a path matches.
//!
//! In: the text of [`globset::Glob::regex`]. It uses five things only: a byte, a set of bytes, `*` or
//! `?` after one of these, and groups of alternatives. So these run here, in time linear in the
//! glob times the path, whatever either holds. The engines that globset brings along for regular
//! expressions of every kind would be a quarter of the module, and are faster only where many globs
//! meet many paths; the tests compare with them. Deliberately not here: what a glob means, which
//! globset alone says.

use crate::limits::GLOB_STATES;

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn all() -> Self {
        Self([u64::MAX; 4])
    }

    fn of(byte: u8) -> Self {
        let mut bytes = Self::default();
        bytes.add(byte, byte);
        bytes
    }

    fn add(&mut self, first: u8, last: u8) {
        for byte in first..=last {
            if let Some(word) = self.0.get_mut(usize::from(byte >> 6)) {
                *word |= 1 << (byte & 63);
            }
        }
    }

    fn others(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    fn holds(&self, byte: u8) -> bool {
        let word = self.0.get(usize::from(byte >> 6)).copied();
        word.unwrap_or_default() >> (byte & 63) & 1 == 1
    }
}

/// What stands at a place of the automaton.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// One of these bytes, then the next place.
    Take(Bytes),
    /// The next place, or this one.
    Or(usize),
    /// This place.
    Go(usize),
}

/// A compiled glob. Its end is the place after the last one.
#[derive(Debug)]
pub(super) struct Automaton {
    places: Vec<Place>,
}

/// Where nothing goes on: the alternative after the last one.
const NOWHERE: usize = usize::MAX;

/// A group that is not closed yet.
struct Group {
    /// Where its current alternative begins: an [`Place::Or`] that leads to the next one.
    alternative: usize,
    /// The ends of the others: each a [`Place::Go`] to the end of the group.
    ends: Vec<usize>,
}

impl Automaton {
    /// Nothing where the text is none that globset writes.
    pub(super) fn new(regex: &str) -> Option<Self> {
        let inner = regex.strip_prefix("(?-u)^")?.strip_suffix('$')?;
        let mut rest = inner.as_bytes();
        let mut automaton = Self { places: Vec::new() };
        let mut groups: Vec<Group> = Vec::new();
        while let Some((first, after)) = rest.split_first() {
            if let Some(inner) = rest.strip_prefix(b"(?:") {
                groups.push(Group {
                    alternative: automaton.push(Place::Or(NOWHERE)),
                    ends: Vec::new(),
                });
                rest = inner;
            } else if *first == b'|' {
                let group = groups.last_mut()?;
                group.ends.push(automaton.push(Place::Go(NOWHERE)));
                let next = automaton.push(Place::Or(NOWHERE));
                automaton.lead(group.alternative, Place::Or(next));
                group.alternative = next;
                rest = after;
            } else if *first == b')' {
                let end = automaton.places.len();
                for from in groups.pop()?.ends {
                    automaton.lead(from, Place::Go(end));
                }
                rest = after;
            } else {
                let (bytes, after) = one(rest)?;
                rest = automaton.repeated(bytes, after);
            }
        }
        groups.is_empty().then_some(automaton)
    }

    fn push(&mut self, place: Place) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }

    fn lead(&mut self, from: usize, place: Place) {
        if let Some(slot) = self.places.get_mut(from) {
            *slot = place;
        }
    }

    /// Adds `bytes` with the `*` or `?` that may stand after it. What stands after that.
    fn repeated<'r>(&mut self, bytes: Bytes, after: &'r [u8]) -> &'r [u8] {
        let start = self.places.len();
        match after.split_first() {
            Some((b'*', after)) => {
                self.places
                    .extend([Place::Or(start + 3), Place::Take(bytes), Place::Go(start)]);
                after
            }
            Some((b'?', after)) => {
                self.places
                    .extend([Place::Or(start + 2), Place::Take(bytes)]);
                after
            }
            _ => {
                self.push(Place::Take(bytes));
                after
            }
        }
    }

    /// Whether all of `path` matches.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let mut here = Reached::new(self.places.len() + 1);
        let mut next = Reached::new(self.places.len() + 1);
        self.reach(0, &mut here);
        for byte in path {
            next.clear();
            self.take(&here.takes, *byte, &mut next);
            std::mem::swap(&mut here, &mut next);
            if here.takes.is_empty() && !here.end {
                return false;
            }
        }
        here.end
    }

    /// Notes what is reached after a byte, from the places that take one.
    fn take(&self, takes: &[usize], byte: u8, reached: &mut Reached) {
        for at in takes {
            if let Some(Place::Take(bytes)) = self.places.get(*at)
                && bytes.holds(byte)
            {
                self.reach(at + 1, reached);
            }
        }
    }

    /// Notes what takes a byte, of all that is reached from `from` without one.
    fn reach(&self, from: usize, reached: &mut Reached) {
        reached.open.push(from);
        while let Some(at) = reached.open.pop() {
            let Some(known) = reached.known.get_mut(at) else {
                continue;
            };
            if std::mem::replace(known, reached.turn) == reached.turn {
                continue;
            }
            match self.places.get(at) {
                Some(Place::Take(_)) => reached.takes.push(at),
                Some(Place::Or(other)) => reached.open.extend([*other, at + 1]),
                Some(Place::Go(to)) => reached.open.push(*to),
                None => reached.end = true,
            }
        }
    }
}

/// An automaton that meets many paths: what was found out once is remembered.
pub(super) struct Many<'a> {
    automaton: &'a Automaton,
    states: Vec<State>,
    reached: Reached,
}

/// What is reached before a byte.
struct State {
    takes: Vec<usize>,
    end: bool,
    /// The state after each byte, plus 1; 0 where it is not known yet.
    after: [u32; 256],
}

impl<'a> Many<'a> {
    pub(super) fn new(automaton: &'a Automaton) -> Self {
        let mut many = Self {
            automaton,
            states: Vec::new(),
            reached: Reached::new(automaton.places.len() + 1),
        };
        automaton.reach(0, &mut many.reached);
        many.state();
        many
    }

    /// Whether all of `path` matches.
    pub(super) fn matches(&mut self, path: &[u8]) -> bool {
        let mut at = 0;
        for byte in path {
            let state = self.states.get(at);
            let known = state.and_then(|state| state.after.get(usize::from(*byte)));
            at = match known {
                Some(next) if *next > 0 => *next as usize - 1,
                _ => self.step(at, *byte),
            };
        }
        self.states.get(at).is_some_and(|state| state.end)
    }

    /// The state after a byte, found out.
    fn step(&mut self, at: usize, byte: u8) -> usize {
        self.reached.clear();
        let takes = self.states.get(at).map(|state| state.takes.as_slice());
        self.automaton
            .take(takes.unwrap_or_default(), byte, &mut self.reached);
        if self.states.len() >= GLOB_STATES {
            // The first one is where every path begins.
            self.states.truncate(1);
            if let Some(first) = self.states.first_mut() {
                first.after = [0; 256];
            }
            return self.state();
        }
        let next = self.state();
        if let Some(state) = self.states.get_mut(at)
            && let Some(after) = state.after.get_mut(usize::from(byte))
        {
            *after = u32::try_from(next + 1).unwrap_or(0);
        }
        next
    }

    /// The state of what is reached now, known or new.
    fn state(&mut self) -> usize {
        let Reached { takes, end, .. } = &self.reached;
        let known = self
            .states
            .iter()
            .position(|state| state.end == *end && state.takes == *takes);
        known.unwrap_or_else(|| {
            self.states.push(State {
                takes: takes.clone(),
                end: *end,
                after: [0; 256],
            });
            self.states.len() - 1
        })
    }
}

/// The places that are reached before a byte.
struct Reached {
    /// Those that take one.
    takes: Vec<usize>,
    /// The end is.
    end: bool,
    /// Those that were looked at in this turn.
    known: Vec<u32>,
    turn: u32,
    open: Vec<usize>,
}

impl Reached {
    fn new(places: usize) -> Self {
        Self {
            takes: Vec::new(),
            end: false,
            known: vec![0; places],
            turn: 1,
            open: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.takes.clear();
        self.end = false;
        // A path has less than 2³² bytes in a memory of 2³².
        self.turn = self.turn.wrapping_add(1);
    }
}

/// The set of bytes that `regex` begins with, and what stands after it.
fn one(regex: &[u8]) -> Option<(Bytes, &[u8])> {
    match regex.split_first()? {
        (b'.', after) => Some((Bytes::all(), after)),
        (b'[', after) => class(after),
        (b'*' | b'?' | b'+' | b'{' | b'}' | b'(' | b'^' | b'$' | b']', _) => None,
        _ => {
            let (byte, after) = literal(regex)?;
            Some((Bytes::of(byte), after))
        }
    }
}

/// The set that a class names, from after its bracket.
fn class(regex: &[u8]) -> Option<(Bytes, &[u8])> {
    // A class of nothing: one that held only the slash.
    if let Some(after) = regex.strip_prefix(br"^\s\S]") {
        return Some((Bytes::default(), after));
    }
    let without = regex.strip_prefix(b"^");
    let mut rest = without.unwrap_or(regex);
    let mut bytes = Bytes::default();
    loop {
        if let Some(after) = rest.strip_prefix(b"]") {
            let bytes = if without.is_some() {
                bytes.others()
            } else {
                bytes
            };
            return Some((bytes, after));
        }
        let (first, after) = literal(rest)?;
        let (last, after) = match after.strip_prefix(b"-") {
            Some(after) => literal(after)?,
            None => (first, after),
        };
        bytes.add(first, last);
        rest = after;
    }
}

/// One byte, as globset writes it: itself, after a backslash, or as `\xhh`.
fn literal(regex: &[u8]) -> Option<(u8, &[u8])> {
    let (first, after) = regex.split_first()?;
    if *first != b'\\' {
        return Some((*first, after));
    }
    let (escaped, after) = after.split_first()?;
    if *escaped != b'x' {
        return escaped.is_ascii_punctuation().then_some((*escaped, after));
    }
    let (digits, after) = after.split_at_checked(2)?;
    let digits = std::str::from_utf8(digits).ok()?;
    Some((u8::from_str_radix(digits, 16).ok()?, after))
}
