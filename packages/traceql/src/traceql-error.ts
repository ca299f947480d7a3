/**
 * A place in a text. `offset` and `length` are in UTF-16 units; lines and columns start at 1; columns are in
 * characters.
 */
export interface TextPlace {
  readonly offset: number;
  readonly length: number;
}

/**
 * The text is not a valid query. The message has Tempo's form:
 * `parse error at line 1, col 5: syntax error: unexpected IDENTIFIER "foo", expecting }`.
 */
export class TraceQlError extends Error {
  override readonly name = "TraceQlError";
  /** The description of the fault, without its place. */
  readonly reason: string;
  /** Offset of the faulty part in UTF-16 units, from 0. */
  readonly offset: number;
  /** Length of the faulty part in UTF-16 units; 0 when the text ends too early. */
  readonly length: number;
  /** Line of the faulty part, from 1. */
  readonly line: number;
  /** Column of the faulty part in characters, from 1. */
  readonly column: number;

  constructor(reason: string, text: string, place: TextPlace) {
    const before = text.slice(0, place.offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    const line = before.split("\n").length;
    const column = [...before.slice(lineStart)].length + 1;
    super(`parse error at line ${line}, col ${column}: ${reason}`);
    this.reason = reason;
    this.offset = place.offset;
    this.length = place.length;
    this.line = line;
    this.column = column;
  }
}
