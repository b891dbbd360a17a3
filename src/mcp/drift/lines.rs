//! Two texts, line by line: what a card shows of a change.

use crate::limits::MAX_DIFF_CELLS;

/// All lines of both texts: what is gone with `-`, what is new with `+`, what stays with a blank.
pub(super) fn diff(before: &str, now: &str) -> String {
    let [before, now]: [Vec<&str>; 2] = [before, now].map(|text| {
        if text.is_empty() {
            Vec::new()
        } else {
            text.split('\n').collect()
        }
    });
    let start = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
    let end = before
        .iter()
        .skip(start)
        .rev()
        .zip(now.iter().skip(start).rev())
        .take_while(|(a, b)| a == b)
        .count();
    let middle = |lines: &[&'_ str]| -> Vec<String> {
        let kept = lines.len().saturating_sub(start + end);
        lines
            .iter()
            .skip(start)
            .take(kept)
            .map(|l| (*l).to_owned())
            .collect()
    };
    let (old, new) = (middle(&before), middle(&now));
    let mut lines: Vec<String> = before.iter().take(start).map(|l| format!(" {l}")).collect();
    lines.extend(changed_lines(&old, &new));
    let tail = before.iter().skip(before.len() - end);
    lines.extend(tail.map(|l| format!(" {l}")));
    lines.join("\n")
}

/// The longest common subsequence by the plain table, where that is small enough.
fn changed_lines(old: &[String], new: &[String]) -> Vec<String> {
    let width = new.len() + 1;
    if (old.len() + 1) * width > MAX_DIFF_CELLS {
        let gone = old.iter().map(|l| format!("-{l}"));
        return gone.chain(new.iter().map(|l| format!("+{l}"))).collect();
    }
    // common[i * width + j]: lines that old[i..] and new[j..] share.
    let mut common = vec![0u32; (old.len() + 1) * width];
    let cell = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let value = if a == b {
                cell(&common, i + 1, j + 1) + 1
            } else {
                cell(&common, i + 1, j).max(cell(&common, i, j + 1))
            };
            if let Some(slot) = common.get_mut(i * width + j) {
                *slot = value;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => {
                lines.push(format!(" {a}"));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none() || cell(&common, i + 1, j) >= cell(&common, i, j + 1) => {
                lines.push(format!("-{a}"));
                i += 1;
            }
            (_, Some(b)) => {
                lines.push(format!("+{b}"));
                j += 1;
            }
            (_, None) => return lines,
        }
    }
}
