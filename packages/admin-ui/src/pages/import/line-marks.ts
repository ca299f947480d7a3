import type { Adapted, AdapterNote } from "../../api/adapt.ts";
import type { EditorMark } from "../../editor/editor-mark.ts";

/** A remark of the server on a line. */
export type LineNote = AdapterNote & { severity: "error" | "warning" };

/** All that the server says of a text: why it refuses it, or its warnings. */
export function notesOf(adapted: Adapted | undefined): LineNote[] {
  const { refusal, warnings = [] } = adapted ?? {};
  return [
    ...(refusal === undefined ? [] : [{ ...refusal, severity: "error" as const }]),
    ...warnings.map((warning) => ({ ...warning, severity: "warning" as const })),
  ];
}

/** The part of a text in lines that a mark needs. */
interface LinedText {
  readonly doc: { readonly lines: number; line(number: number): { from: number; to: number; text: string } };
}

/** Notes as marks over whole lines. Notes without a line, or for a removed line, have no mark. */
export function lineMarks(notes: readonly LineNote[]) {
  return ({ doc }: LinedText): EditorMark[] =>
    notes
      .filter(({ line }) => line !== undefined && line >= 1 && line <= doc.lines)
      .map(({ line = 1, message, severity }) => {
        const { from, to, text } = doc.line(line);
        return { from: from + (text.length - text.trimStart().length), to, message, severity };
      })
      .toSorted((a, b) => a.from - b.from);
}
