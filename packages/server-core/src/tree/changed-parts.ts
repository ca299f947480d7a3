import { isJsonArray, isJsonObject, type JsonValue } from "../json/json-value.ts";

/** A part of a document that has changed. */
export interface ChangedPart {
  /** Keys and positions from the root. */
  readonly path: readonly (string | number)[];
  /** New value of the place. */
  readonly value: JsonValue;
}

/** The places where two documents differ, in order; `path` leads to the place in both documents. */
function* differences(old: JsonValue, next: JsonValue, path: ChangedPart["path"]): Generator<ChangedPart> {
  if (old === next) {
    return;
  }
  if (isJsonArray(old) && isJsonArray(next) && old.length === next.length) {
    for (let index = 0; index < next.length; index++) {
      if (old[index] !== next[index]) {
        yield* differences(old[index] ?? null, next[index] ?? null, [...path, index]);
      }
    }
    return;
  }
  if (isJsonObject(old) && isJsonObject(next)) {
    const keys = Object.keys(next);
    if (keys.length === Object.keys(old).length && keys.every((key) => Object.hasOwn(old, key))) {
      for (const key of keys) {
        if (old[key] !== next[key]) {
          yield* differences(old[key] ?? null, next[key] ?? null, [...path, key]);
        }
      }
      return;
    }
  }
  yield { path, value: next };
}

/**
 * The changes from `old` to `next`, in which unchanged parts must be the same objects (see `reconcile`).
 * @param most maximum number of parts; with more, the result is undefined
 */
export function changedParts(old: JsonValue, next: JsonValue, most: number): ChangedPart[] | undefined {
  const parts: ChangedPart[] = [];
  for (const part of differences(old, next, [])) {
    if (parts.length === most) {
      return undefined;
    }
    parts.push(part);
  }
  return parts;
}

function put(tree: JsonValue, { path, value }: ChangedPart, position: number): JsonValue {
  const step = path[position];
  if (step === undefined) {
    return value;
  }
  if (isJsonArray(tree) && typeof step === "number") {
    return tree.with(step, put(tree[step] ?? null, { path, value }, position + 1));
  }
  if (isJsonObject(tree) && typeof step === "string") {
    return { ...tree, [step]: put(tree[step] ?? null, { path, value }, position + 1) };
  }
  throw new Error(`there is no ${path.join("/")}`);
}

/** Applies the changed parts to `old`; all unchanged parts stay the same objects. */
export function withParts(old: JsonValue, parts: readonly ChangedPart[]): JsonValue {
  return parts.reduce((tree, part) => put(tree, part, 0), old);
}
