/** One field of a header section; the name is lower case as sent, each byte of the value is one character (latin1). */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}
