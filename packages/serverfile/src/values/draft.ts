// A draft is JSON under construction. Caddy leaves out Go's zero values, so members with `""`, `0`, `false`
// or `[]` equal missing members: `onlyGiven({ a: "", b: 1 })` is `{ b: 1 }`.

/** A JSON object under construction. Its empty members are left out of the result. */
export interface Draft {
  [key: string]: DraftValue;
}
/** Any mutable JSON value. */
export type DraftValue = null | boolean | number | string | DraftValue[] | Draft;

/** A value that a directive may lack. */
export type Given = DraftValue | undefined;

/** True for an empty value. `{}` and null are not empty. */
function isEmpty(value: Given): boolean {
  return (
    value === undefined ||
    value === "" ||
    value === 0 ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Keeps only members with content: removes "", 0, false, [] and undefined; {} and null stay. */
export function onlyGiven(members: Readonly<Record<string, Given>>): Draft {
  const kept: Draft = {};
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (value !== undefined && !isEmpty(value)) {
      kept[key] = value;
    }
  }
  return kept;
}

/** True for an object without members. */
export function isEmptyDraft(draft: Draft): boolean {
  for (const _ in draft) {
    return false;
  }
  return true;
}

/** Returns the object at `key`, and creates it if it is missing. */
export function childOf(draft: Draft, key: string): Draft {
  const present = draft[key];
  if (typeof present === "object" && present !== null && !Array.isArray(present)) {
    return present;
  }
  const made: Draft = {};
  setMember(draft, key, made);
  return made;
}

/** Returns the array at `key`, and creates it if it is missing. */
export function listOf(draft: Draft, key: string): DraftValue[] {
  const present = draft[key];
  if (Array.isArray(present)) {
    return present;
  }
  const made: DraftValue[] = [];
  setMember(draft, key, made);
  return made;
}

/** Sets a member, even if its name is `__proto__`. */
export function setMember(draft: Draft, key: string, value: DraftValue): void {
  if (key === "__proto__") {
    Object.defineProperty(draft, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    draft[key] = value;
  }
}

/** Returns the object's own member `key`, never an inherited member. */
export function ownMember(draft: Draft, key: string): Given {
  return Object.hasOwn(draft, key) ? draft[key] : undefined;
}

/** Sets the value at a dotted path. Objects on the path are created even for an empty `value`. */
export function setAt(draft: Draft, path: string, value: DraftValue): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let parent = draft;
  for (const key of keys) {
    parent = childOf(parent, key);
  }
  if (isEmpty(value)) {
    delete parent[last];
  } else {
    parent[last] = value;
  }
}

/** A replacer for `JSON.stringify` that sorts the members of each object. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value;
  }
  const entries = Object.entries(value);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The JSON of a value with sorted members. */
export function sortedJson(value: Given): string {
  return JSON.stringify(value, sortKeys) ?? "";
}

/** True when two values are equal JSON, regardless of member order. */
export function sameJson(a: Given, b: Given): boolean {
  if (a === b) {
    return true;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((each, index) => sameJson(each, b[index]))
    );
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
