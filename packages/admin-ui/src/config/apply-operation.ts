import type { PatchOperation } from "../api/json-patch.ts";
import { isObject, type JsonValue } from "../api/json-value.ts";
import { below, pointerParts, valueAt } from "./json-pointer.ts";

/** A patch that does not fit the document: a path is missing, or leads into a simple value. */
export class PatchMismatch extends Error {
  /** The operation that does not fit. */
  readonly operation: PatchOperation;

  constructor(operation: PatchOperation) {
    super(`nothing fits at ${operation.path === "" ? "the top" : operation.path}`);
    this.name = "PatchMismatch";
    this.operation = operation;
  }
}

/**
 * Applies one change to a document; unchanged parts are shared with the old document. Example: `{op: "remove", path:
 * "/a/0"}` on `{a: [1, 2]}` gives `{a: [2]}`. `test` changes nothing and is not checked.
 * @throws PatchMismatch when the path does not exist. Source: RFC 6902, sections 4.1 to 4.5
 */
export function applyOperation(document: JsonValue, operation: PatchOperation): JsonValue {
  switch (operation.op) {
    case "move": {
      const value = valueAt(document, operation.from ?? "");
      if (value === undefined) {
        throw new PatchMismatch(operation);
      }
      const without = changed(document, pointerParts(operation.from ?? ""), {
        op: "remove",
        value: null,
        operation,
      });
      return changed(without, pointerParts(operation.path), { op: "add", value, operation });
    }
    case "copy": {
      const value = valueAt(document, operation.from ?? "");
      if (value === undefined) {
        throw new PatchMismatch(operation);
      }
      return changed(document, pointerParts(operation.path), { op: "add", value, operation });
    }
    case "test":
      return document;
    default:
      return changed(document, pointerParts(operation.path), {
        op: operation.op,
        value: operation.value ?? null,
        operation,
      });
  }
}

/** Applies all changes to a document. @throws PatchMismatch */
export function applyOperations(document: JsonValue, operations: readonly PatchOperation[]): JsonValue {
  return operations.reduce(applyOperation, document);
}

/** One step of an operation, without its path. */
interface Edit {
  /** Kind of the edit; `move` and `copy` are split into these. */
  readonly op: "add" | "remove" | "replace";
  /** The new value; null and unused for `remove`. */
  readonly value: JsonValue;
  readonly operation: PatchOperation;
}

/**
 * Copies `node` with the edit at the path below. Each call handles one part of the path; only nodes on the path are
 * copied.
 */
function changed(
  node: JsonValue,
  [part, ...rest]: readonly string[],
  { op, value, operation }: Edit,
): JsonValue {
  if (part === undefined) {
    return op === "remove" ? null : value;
  }
  if (Array.isArray(node)) {
    return changedList(node, part, rest, { op, value, operation });
  }
  if (!isObject(node)) {
    throw new PatchMismatch(operation);
  }
  const there = Object.hasOwn(node, part);
  if (rest.length > 0) {
    const child = there ? node[part] : undefined;
    if (child === undefined) {
      throw new PatchMismatch(operation);
    }
    return { ...node, [part]: changed(child, rest, { op, value, operation }) };
  }
  if (!there && op !== "add") {
    throw new PatchMismatch(operation);
  }
  if (op !== "remove") {
    return { ...node, [part]: value };
  }
  const { [part]: _, ...others } = node;
  return others;
}

/**
 * Like `changed`, for a list. The index `-` means the place after the last element, and is valid only for `add`. RFC
 * 6902, section 4.1
 */
function changedList(
  list: JsonValue[],
  part: string,
  rest: readonly string[],
  { op, value, operation }: Edit,
): JsonValue {
  const index = part === "-" ? list.length : /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
  const inserts = rest.length === 0 && op === "add";
  if (index < 0 || index > list.length || (index === list.length && !inserts)) {
    throw new PatchMismatch(operation);
  }
  if (inserts) {
    return list.toSpliced(index, 0, value);
  }
  if (rest.length === 0 && op === "remove") {
    return list.toSpliced(index, 1);
  }
  const next = rest.length === 0 ? value : changed(list[index] ?? null, rest, { op, value, operation });
  return list.with(index, next);
}

/** The pointer for a new element at the end of a list. */
export function endOf(pointer: string): string {
  return below(pointer, "-");
}
