//! A call, the mode and the rules → run, ask with a card, or refuse.
