/** One field of a header section; the name is lower case as sent, each byte of the value is one character (latin1). */
export interface HeaderField {
  /** Lower case; a pseudo field begins with a colon. */
  readonly name: string;
  /** Octets as Latin-1. */
  readonly value: string;
}
