/** Style sheets are imported for their effect; webpack puts them into one file. */
declare module '*.css';
