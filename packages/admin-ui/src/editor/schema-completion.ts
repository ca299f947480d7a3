import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { JsonValue } from "../api/json-value.ts";
import { isObject } from "../api/json-value.ts";
import { typeName } from "../config/find-faults.ts";
import { firstValue } from "../config/first-value.ts";
import type { JsonSchema, PlaceSchema, SchemaReader } from "../config/schema.ts";
import { pathTo, topNode, valueSoFar } from "./json-places.ts";

/**
 * The schema and the value at a place of a text.
 * @param schema schema of the whole text
 * @param path members from the root, from `pathTo`
 */
function placeAt(
  reader: SchemaReader,
  schema: JsonSchema,
  value: JsonValue,
  path: readonly string[],
): { place: PlaceSchema; value: JsonValue | undefined } {
  let place = reader.place(schema, value);
  let at: JsonValue | undefined = value;
  for (const part of path) {
    const below = reader.below(place, part);
    at = Array.isArray(at) ? at[Number(part)] : isObject(at) ? at[part] : undefined;
    place = reader.place(below ?? {}, at);
  }
  return { place, value: at };
}

/** The word being typed, with its quotes: the range that a completion replaces. */
function wordAt(state: EditorState, pos: number, node: SyntaxNode): { from: number; to: number } {
  if (node.name === "String" || node.name === "PropertyName") {
    return { from: node.from, to: node.to };
  }
  const line = state.doc.lineAt(pos);
  const before = /"?[\w.@-]*$/.exec(state.sliceDoc(line.from, pos))?.[0] ?? "";
  return { from: pos - before.length, to: pos };
}

/** True when a member name is expected: a brace or a comma comes right before the word. */
function expectsName(state: EditorState, from: number, around: SyntaxNode): boolean {
  return around.name === "Object" && /[{,]\s*$/.test(state.sliceDoc(around.from, from));
}

/** The innermost object, list or property around a node; the node itself at the top. */
function enclosing(node: SyntaxNode): SyntaxNode {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.name === "Object" || at.name === "Array" || at.name === "Property") {
      return at;
    }
  }
  return node;
}

/**
 * Completes member names and values that the server's schema allows. It works on unfinished text: `{"handler": "rev`
 * offers the names of handlers.
 * @param schema schema of the whole text
 */
export function completeBySchema(reader: SchemaReader, schema: JsonSchema) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const inner = syntaxTree(state).resolveInner(pos, -1);
    const word = wordAt(state, pos, inner);
    const isName = inner.name === "PropertyName";
    const outer = enclosing(isName ? (inner.parent?.parent ?? inner) : inner);
    const whole = valueSoFar(state, topNode(state));
    if (isName || expectsName(state, word.from, outer)) {
      const { place, value } = placeAt(reader, schema, whole, pathTo(state, outer));
      const present = isObject(value) ? value : {};
      const after = state.sliceDoc(word.to, word.to + 1_000).trimStart();
      const end = after.startsWith(":") ? undefined : after.startsWith('"') ? "," : "";
      const own = isName ? state.sliceDoc(word.from, word.to).replaceAll('"', "") : "";
      return options(
        word,
        nameOptions(reader, place, (name) => Object.hasOwn(present, name) && name !== own, end),
      );
    }
    if (outer.name === "Object" || (!explicit && word.from === pos)) {
      return null;
    }
    const inList = outer.name === "Array" ? [String(Math.max(0, valuesBefore(outer, word.from)))] : [];
    const { place } = placeAt(reader, schema, whole, [...pathTo(state, outer), ...inList]);
    return options(word, valueOptions(reader, place));
  };
}

/**
 * The completion result; null for no options. The editor filters the same options while only word characters are typed.
 */
function options({ from, to }: { from: number; to: number }, found: Completion[]): CompletionResult | null {
  return found.length === 0 ? null : { from, to, options: found, validFor: /^"?[\w.@-]*"?$/ };
}

/** Index of the list element being typed. */
function valuesBefore(list: SyntaxNode, pos: number): number {
  let count = 0;
  for (let child = list.firstChild; child !== null && child.to <= pos; child = child.nextSibling) {
    count += /^(Object|Array|String|Number|True|False|Null)$/.test(child.name) ? 1 : 0;
  }
  return count;
}

/**
 * Options for names of missing members, required ones first.
 * @param end text after a new member; undefined keeps the current value
 */
function nameOptions(
  reader: SchemaReader,
  place: PlaceSchema,
  isTaken: (name: string) => boolean,
  end: string | undefined,
): Completion[] {
  return [...place.fields]
    .filter(([name]) => !isTaken(name))
    .map(([name, schema]) => {
      const below = reader.place(schema, undefined);
      const value = JSON.stringify(firstValue(reader, below));
      return {
        label: JSON.stringify(name),
        apply: end === undefined ? JSON.stringify(name) : `${JSON.stringify(name)}: ${value}${end}`,
        detail: [...below.types].map(typeName).join(", "),
        ...(below.description === "" ? {} : { info: below.description }),
        boost: place.required.has(name) ? 1 : 0,
      };
    });
}

/** Offers the choices of a place, true and false, or the beginning of an object or a list. */
function valueOptions(reader: SchemaReader, place: PlaceSchema): Completion[] {
  if (place.choices.length > 0) {
    return place.choices.map((choice) => ({ label: JSON.stringify(choice) }));
  }
  if (place.types.has("boolean")) {
    return [{ label: "true" }, { label: "false" }];
  }
  return place.types.has("object") || place.types.has("array")
    ? [{ label: JSON.stringify(firstValue(reader, place)), detail: "begin" }]
    : [];
}
