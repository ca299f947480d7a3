import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { JsonObject, JsonValue } from "../api/json-value.ts";
import { pointerParts } from "../config/json-pointer.ts";

/** Names of value nodes in the JSON grammar. */
const values = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

/** The children of a node that have a wanted name, in order. */
function children(node: SyntaxNode, wanted: (name: string) => boolean): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (wanted(child.name)) {
      found.push(child);
    }
  }
  return found;
}

/** The value of a property, or the only value of a text; undefined while it is not written yet. */
const valueNode = (node: SyntaxNode) => children(node, (name) => values.has(name))[0];

/** The unescaped text of a string node. An unclosed string gives its text so far. */
function textOf(state: EditorState, { from, to }: SyntaxNode): string {
  const text = state.sliceDoc(from, to);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replace(/^"|"$/g, "");
  }
}

/** The unescaped name of a property; "" without a name. */
function nameOf(state: EditorState, property: SyntaxNode): string {
  const name = property.getChild("PropertyName");
  return name === null ? "" : textOf(state, name);
}

/**
 * The name of the member after an incomplete one. The grammar reads `"new" "next": 1` as one member with two names, of
 * which the first has no value. In this case the function returns `next`.
 */
function swallowedName(state: EditorState, property: SyntaxNode): string | undefined {
  const [name, colon] = [property.getChild("PropertyName"), property.getChild(":")];
  const between = name === null || colon === null ? "" : state.sliceDoc(name.to, colon.from);
  const found = /("(?:[^"\\]|\\.)*")\s*$/.exec(between)?.[1];
  return found === undefined ? undefined : String(JSON.parse(found));
}

/**
 * Reads the value of a text that the user has not finished. Missing values are null: `{"a": 1, "b":` gives `{a: 1, b:
 * null}`.
 */
export function valueSoFar(state: EditorState, node: SyntaxNode | undefined): JsonValue {
  switch (node?.name) {
    case "Object": {
      const object: JsonObject = {};
      for (const property of node.getChildren("Property")) {
        const name = swallowedName(state, property) ?? nameOf(state, property);
        object[name] = valueSoFar(state, valueNode(property));
      }
      return object;
    }
    case "Array":
      return children(node, (name) => values.has(name)).map((child) => valueSoFar(state, child));
    case "String":
      return textOf(state, node);
    case "Number":
      return Number(state.sliceDoc(node.from, node.to));
    case "True":
      return true;
    case "False":
      return false;
    default:
      return null;
  }
}

/** The node of the whole value; undefined for none. */
export function topNode(state: EditorState): SyntaxNode | undefined {
  return valueNode(syntaxTree(state).topNode);
}

/**
 * The path of member names to a node, outermost first; a property counts as its value. A cursor in the 2 of `{"a": [1,
 * 2]}` gives `["a", "1"]`.
 */
export function pathTo(state: EditorState, node: SyntaxNode): string[] {
  const path: string[] = [];
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.name === "Property") {
      path.unshift(nameOf(state, at));
    } else if (at.parent?.name === "Array" && values.has(at.name)) {
      const { from } = at;
      const index = children(at.parent, (name) => values.has(name)).findIndex((each) => each.from === from);
      path.unshift(String(index));
    }
  }
  return path;
}

/**
 * The range of the value at a pointer, including its name. For a missing value, the range of the nearest enclosing
 * value. Objects and lists inside lists are marked only at their opening bracket.
 */
export function rangeOf(state: EditorState, pointer: string): { from: number; to: number } {
  let node = topNode(state);
  let range = { from: node?.from ?? 0, to: Math.min((node?.from ?? 0) + 1, state.doc.length) };
  for (const part of pointerParts(pointer)) {
    if (node?.name === "Object") {
      const property: SyntaxNode | undefined = node
        .getChildren("Property")
        .find((each) => nameOf(state, each) === part);
      const name = property?.getChild("PropertyName");
      if (property === undefined || name === null || name === undefined) {
        return range;
      }
      range = { from: name.from, to: name.to };
      node = valueNode(property);
    } else if (node?.name === "Array") {
      node = children(node, (name) => values.has(name))[Number(part)];
      if (node === undefined) {
        return range;
      }
      range = {
        from: node.from,
        to: node.name === "Object" || node.name === "Array" ? node.from + 1 : node.to,
      };
    } else {
      return range;
    }
  }
  return range;
}
