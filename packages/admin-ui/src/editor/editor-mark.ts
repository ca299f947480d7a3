/** A message about a range of the text. */
export interface EditorMark {
  /** Start offset in the text. */
  from: number;
  /** End offset; may exceed the text after it was shortened. */
  to: number;
  /** The sentence that is shown at the mark. */
  message: string;
  /** `error`: the text cannot be used; `warning`: it can be used, but the server may refuse it. */
  severity: "error" | "warning";
}
