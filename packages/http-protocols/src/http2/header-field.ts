/** One field of a header section. */
export interface HeaderField {
  /** Name in lower case. Names of pseudo-header fields start with a colon. */
  readonly name: string;
  /** Value, one character per byte (Latin-1). */
  readonly value: string;
}
