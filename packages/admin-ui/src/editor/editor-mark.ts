/** Something to be said of a place in a text. */
export interface EditorMark {
  /** Offsets in the text. */
  from: number;
  /** End of the range; may lie behind the text, when the text was cut meanwhile. */
  to: number;
  /** The sentence that is shown at the mark. */
  message: string;
  /** `error`: the text cannot be used; `warning`: it can be, and the server may refuse it. */
  severity: "error" | "warning";
}
