/**
 * One field of a header section. The name is in lower case as sent; each byte of the value is one character (latin1).
 */
export interface HeaderField {
  /** Lower case; a pseudo-header field starts with a colon. */
  readonly name: string;
  /** Octets as Latin-1. */
  readonly value: string;
}
