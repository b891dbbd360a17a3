//! What is open under numbers that mostly go up: calls, exchanges.
//!
//! In: a number and what is open under it. Out: that, by its number, or all of it in the order of the
//! numbers. An answer to the oldest, the newest or any other costs the same few steps; places that
//! became free are taken back once they are more than half.

/// Places up to which free ones are not taken back.
const FEW: usize = 32;

/// Values by their numbers.
#[derive(Debug)]
pub struct ById<T> {
    /// In the order of the numbers. A place without a value is free.
    places: Vec<(u32, Option<T>)>,
    open: usize,
}

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            open: 0,
        }
    }
}

impl<T> ById<T> {
    /// Where the number stands, or belongs.
    fn place(&self, id: u32) -> Result<usize, usize> {
        let first = self.places.first().map_or(id, |(first, _)| *first);
        // Numbers mostly follow one another without a gap.
        let near = usize::try_from(id.wrapping_sub(first)).unwrap_or(usize::MAX);
        if self.places.get(near).is_some_and(|(own, _)| *own == id) {
            return Ok(near);
        }
        self.places.binary_search_by_key(&id, |(own, _)| *own)
    }

    /// What is open under `id`.
    pub fn get(&self, id: u32) -> Option<&T> {
        self.places.get(self.place(id).ok()?)?.1.as_ref()
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        let at = self.place(id).ok()?;
        self.places.get_mut(at)?.1.as_mut()
    }

    /// Something is open under `id`.
    pub fn contains(&self, id: u32) -> bool {
        self.get(id).is_some()
    }

    /// Nothing is open.
    pub fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Opens `value` under `id`; what was open there is over.
    pub fn insert(&mut self, id: u32, value: T) {
        match self.place(id) {
            Ok(at) => {
                if let Some((_, place)) = self.places.get_mut(at) {
                    self.open += usize::from(place.is_none());
                    *place = Some(value);
                }
            }
            Err(at) => {
                self.places.insert(at, (id, Some(value)));
                self.open += 1;
            }
        }
    }

    /// Takes out what is open under `id`.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        let at = self.place(id).ok()?;
        let taken = self.places.get_mut(at)?.1.take()?;
        self.open -= 1;
        if self.places.len() > FEW && self.open < self.places.len() / 2 {
            self.places.retain(|(_, value)| value.is_some());
        }
        Some(taken)
    }

    /// All that is open, with its number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let places = self.places.iter();
        places.filter_map(|(id, value)| Some((*id, value.as_ref()?)))
    }

    /// The numbers of all that is open.
    pub fn ids(&self) -> Vec<u32> {
        self.iter().map(|(id, _)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_same_as_a_map() {
        for (seed, range) in [(1_u64, 5_u64), (2, 40), (3, 300), (4, u64::from(u32::MAX))] {
            let mut state = seed;
            let mut next = |below: u64| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                u32::try_from((state >> 33) % below).unwrap()
            };
            let (mut quick, mut plain) = (ById::default(), BTreeMap::new());
            for step in 0..4000_u32 {
                let known: Vec<u32> = plain.keys().copied().collect();
                let id = match next(3) {
                    0 if !known.is_empty() => known[next(known.len() as u64) as usize],
                    _ => next(range),
                };
                match next(4) {
                    0 | 1 => {
                        quick.insert(id, step);
                        plain.insert(id, step);
                    }
                    2 => assert_eq!(quick.remove(id), plain.remove(&id)),
                    _ => {
                        if let Some(value) = quick.get_mut(id) {
                            *value += 1;
                        }
                        plain.entry(id).and_modify(|value| *value += 1);
                    }
                }
                assert_eq!(quick.get(id), plain.get(&id));
                assert_eq!(quick.contains(id), plain.contains_key(&id));
                assert_eq!(quick.is_empty(), plain.is_empty());
                let all: Vec<(u32, &u32)> = plain.iter().map(|(id, value)| (*id, value)).collect();
                assert_eq!(quick.iter().collect::<Vec<_>>(), all);
                assert_eq!(quick.ids(), plain.keys().copied().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_is_over_takes_no_room() {
        let mut open = ById::default();
        open.insert(1, ());
        for id in 2..100_000 {
            open.insert(id, ());
            assert_eq!(open.remove(id), Some(()));
            assert!(open.places.len() <= 2 * FEW, "{id}");
        }
        assert_eq!(open.ids(), [1]);
    }
}
