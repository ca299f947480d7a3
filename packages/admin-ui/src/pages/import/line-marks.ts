import type { Adapted, AdapterNote } from "../../api/adapt.ts";
import type { EditorMark } from "../../editor/editor-mark.ts";

/** A message of the server about a line. */
export type LineNote = AdapterNote & { severity: "error" | "warning" };

/** All messages of the server about a text: the reason of a refusal, or warnings. */
export function notesOf(adapted: Adapted | undefined): LineNote[] {
  const { refusal, warnings = [] } = adapted ?? {};
  return [
    ...(refusal === undefined ? [] : [{ ...refusal, severity: "error" as const }]),
    ...warnings.map((warning) => ({ ...warning, severity: "warning" as const })),
  ];
}

/** The part of a text document that marks need. */
interface LinedText {
  readonly doc: { readonly lines: number; line(number: number): { from: number; to: number; text: string } };
}

/** Converts messages to marks over whole lines. Messages without a line, or for a removed line, have no mark. */
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
