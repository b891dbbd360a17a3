//! The system prompt's sections, byte for byte the same for the same input.
