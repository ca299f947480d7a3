import { isObject, type JsonValue } from "../api/json-value.ts";
import { below } from "./json-pointer.ts";

/** One line of the tree of a config. */
export interface TreeRow {
  /** Pointer to the value; also the key of the row. */
  pointer: string;
  /** Key or index; "config" for the top. */
  name: string;
  /** Nesting level; 1 for the top. */
  level: number;
  /** The value itself, for its preview. */
  value: JsonValue;
  /** Number of members; undefined for a simple value. */
  size: number | undefined;
  /** True when the members follow as rows. */
  expanded: boolean;
}

/**
 * Maximum number of shown rows: beyond it the user must fold or search. All rows are elements of the page, so more
 * would slow down each key.
 */
export const maxRows = 5_000;

/** Members of an object or list, with their names. */
export function membersOf(value: JsonValue): [name: string, value: JsonValue][] {
  if (Array.isArray(value)) {
    return value.map((item, index) => [String(index), item]);
  }
  return isObject(value) ? Object.entries(value) : [];
}

/**
 * The visible rows of a tree, from top to bottom. Cost: one step per row, independent of the folded parts.
 * @param isOpen returns true when the members of the value at a pointer are shown
 */
export function treeRows(
  document: JsonValue,
  isOpen: (pointer: string, level: number) => boolean,
): TreeRow[] {
  const rows: TreeRow[] = [];
  function add(value: JsonValue, name: string, pointer: string, level: number): void {
    if (rows.length >= maxRows) {
      return;
    }
    const holds = Array.isArray(value) || isObject(value);
    const members = holds ? membersOf(value) : [];
    const expanded = members.length > 0 && isOpen(pointer, level);
    rows.push({ pointer, name, level, value, size: holds ? members.length : undefined, expanded });
    if (!expanded) {
      return;
    }
    for (const [key, member] of members) {
      add(member, key, below(pointer, key), level + 1);
    }
  }
  add(document, "config", "", 1);
  return rows;
}

/**
 * Searches a text in keys and simple values, ignoring case. Visits the whole document, including folded parts.
 * @returns pointers of the found values, and of all values around them
 */
export function findInTree(document: JsonValue, text: string): { found: Set<string>; holders: Set<string> } {
  const wanted = text.toLowerCase();
  const found = new Set<string>();
  const holders = new Set<string>();
  function look(value: JsonValue, name: string, pointer: string): boolean {
    const members = membersOf(value);
    const simple = members.length === 0 && typeof value !== "object" ? String(value) : "";
    const hit = `${name}\n${simple}`.toLowerCase().includes(wanted);
    if (hit) {
      found.add(pointer);
    }
    let within = false;
    for (const [key, member] of members) {
      within = look(member, key, below(pointer, key)) || within;
    }
    if (within) {
      holders.add(pointer);
    }
    return hit || within;
  }
  for (const [key, member] of membersOf(document)) {
    if (look(member, key, below("", key))) {
      holders.add("");
    }
  }
  return { found, holders };
}

/**
 * A short preview of a value on one line: a list of simple values joined by commas, the name of an object, or a simple
 * value. Empty when there is none.
 */
export function preview(value: JsonValue): string {
  if (Array.isArray(value)) {
    const simple = value.every((item) => typeof item !== "object" || item === null);
    return simple && value.length > 0 ? value.map(String).join(", ") : "";
  }
  if (isObject(value)) {
    return nameOfObject(value);
  }
  return typeof value === "string" ? value : String(value);
}

/** The name of an object: its id, the module that it names, or what the matchers of a route accept. */
function nameOfObject(value: Record<string, JsonValue>): string {
  for (const key of ["@id", "handler", "module", "policy", "protocol", "source", "dial"]) {
    const name = value[key];
    if (typeof name === "string") {
      return name;
    }
  }
  return Array.isArray(value.match) ? value.match.map(matcherText).join(" or ") : "";
}

/** The hosts, paths and methods that a set of matchers accepts. */
function matcherText(set: JsonValue): string {
  if (!isObject(set)) {
    return "";
  }
  return [set.host, set.path, set.method]
    .flatMap((names) => (Array.isArray(names) ? names.map(String) : []))
    .join(" ");
}
