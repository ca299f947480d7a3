import type { PatchOperation } from "../api/json-patch.ts";
import type { JsonValue } from "../api/json-value.ts";
import { applyOperation } from "./apply-operation.ts";
import { valueAt } from "./json-pointer.ts";

/** A difference in a form for people. */
export interface Difference {
  /** JSON pointer at the time of the change. */
  path: string;
  /** The kind of the change. A copied value counts as added. */
  kind: "added" | "removed" | "changed" | "moved";
  /** The old value; undefined for an added value. */
  before: JsonValue | undefined;
  /** The new value; undefined for a removed value. */
  after: JsonValue | undefined;
  /** The old place of a moved value. */
  from?: string;
}

/**
 * Explains the effects of a patch, with the old values.
 * @param before document before the patch
 * @throws PatchMismatch when the patch does not fit the document
 */
export function explainPatch(before: JsonValue, patch: readonly PatchOperation[]): Difference[] {
  const differences: Difference[] = [];
  let document = before;
  for (const operation of patch) {
    const old = valueAt(document, operation.path);
    const next = applyOperation(document, operation);
    const { op, path, from } = operation;
    if (op === "remove") {
      differences.push({ path, kind: "removed", before: old, after: undefined });
    } else if (op === "replace") {
      differences.push({ path, kind: "changed", before: old, after: operation.value });
    } else if (op === "move") {
      const value = valueAt(document, from ?? "");
      differences.push({ path, kind: "moved", before: value, after: value, from: from ?? "" });
    } else if (op !== "test") {
      const value = op === "copy" ? valueAt(document, from ?? "") : operation.value;
      differences.push({ path, kind: "added", before: undefined, after: value });
    }
    document = next;
  }
  return differences;
}

/**
 * Like `explainPatch`. If the patch does not fit `before`, the changes are shown without old values.
 */
export function explainSafely(before: JsonValue, changes: readonly PatchOperation[]): Difference[] {
  try {
    return explainPatch(before, changes);
  } catch {
    return changes.map(({ op, path, value }) => ({
      path,
      kind: op === "remove" ? ("removed" as const) : op === "add" ? ("added" as const) : ("changed" as const),
      before: undefined,
      after: value,
    }));
  }
}
