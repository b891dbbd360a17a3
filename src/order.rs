//! One sort for everything that is not hot.
//!
//! In: items, and how two of them compare. Out: the same items in order, equal ones as they stood.
//! The standard library's sort is made anew for every type, some five kilobytes of WebAssembly each;
//! here only positions are sorted, once for all types.

use std::cmp::Ordering;

/// Sorts `items` by `compare`, which must be a total order. Equal ones keep their order.
///
/// ```
/// let mut names = vec!["b", "C", "a"];
/// gbs_agent_core::order::sort_by(&mut names, &|one, other| one.to_ascii_lowercase().cmp(&other.to_ascii_lowercase()));
/// assert_eq!(names, ["a", "b", "C"]);
/// ```
pub fn sort_by<T>(items: &mut Vec<T>, compare: &dyn Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let order = positions(
        items.len(),
        &|one, other| match (items.get(one), items.get(other)) {
            (Some(one), Some(other)) => compare(one, other),
            (None, _) | (_, None) => Ordering::Equal,
        },
    );
    let mut slots: Vec<Option<T>> = items.drain(..).map(Some).collect();
    for position in order {
        items.extend(slots.get_mut(position).and_then(Option::take));
    }
}

/// Sorts `items` in their own order. Equal ones keep theirs.
pub fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, &T::cmp);
}

#[inline(never)]
fn positions(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let mut items: Vec<(u8, usize)> = (0..200_u8).map(|n| n % 30 * 7 % 5).zip(0..).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|(key, _)| *key);
        sort_by(&mut items, &|one, other| one.0.cmp(&other.0));
        assert_eq!(items, expected);
    }

    #[test]
    fn their_own_order() {
        let check = |given: &[&str], expected: &[&str]| {
            let mut items = given.to_vec();
            sort(&mut items);
            assert_eq!(items, expected);
        };
        check(&[], &[]);
        check(&["a"], &["a"]);
        check(&["b", "a", "c", "a"], &["a", "a", "b", "c"]);
    }
}
