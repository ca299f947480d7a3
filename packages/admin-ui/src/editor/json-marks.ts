import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { JsonValue } from "../api/json-value.ts";
import type { SchemaFault } from "../config/find-faults.ts";
import type { EditorMark } from "./editor-mark.ts";
import { rangeOf } from "./json-places.ts";

/**
 * Maximum number of milliseconds for one parse. A longer parse would delay each key press; without its result, marks
 * are at the end of the text.
 */
const mostMs = 100;

/**
 * The mark of a syntax error: at the first error node of the grammar, else at the end of the text.
 * @param message message of the parser
 */
function syntaxMark(state: EditorState, message: string): EditorMark {
  let from: number | undefined;
  ensureSyntaxTree(state, state.doc.length, mostMs)?.iterate({
    enter(node) {
      if (node.type.isError && from === undefined) {
        from = node.from;
      }
      return from === undefined;
    },
  });
  const at = Math.min(from ?? state.doc.length, state.doc.length);
  return { from: at, to: Math.min(at + 1, state.doc.length), message, severity: "error" };
}

/**
 * The faults of a text: the syntax error, else the schema faults, sorted by place.
 * @param faultsOf returns faults with pointers from the top of the text
 */
export function jsonMarks(faultsOf: (value: JsonValue) => readonly SchemaFault[]) {
  return (state: EditorState): EditorMark[] => {
    let value: JsonValue;
    try {
      value = JSON.parse(state.doc.toString()) as JsonValue;
    } catch (error) {
      return [syntaxMark(state, error instanceof Error ? error.message : String(error))];
    }
    ensureSyntaxTree(state, state.doc.length, mostMs);
    return faultsOf(value)
      .map(({ path, message }): EditorMark => ({ ...rangeOf(state, path), message, severity: "warning" }))
      .toSorted((a, b) => a.from - b.from);
  };
}
