/** Something to be said of a place in a text. */
export interface EditorMark {
  /** Offsets in the text. */
  from: number;
  to: number;
  message: string;
  severity: "error" | "warning";
}
