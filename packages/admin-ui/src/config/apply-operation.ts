import type { PatchOperation } from "../api/json-patch.ts";
import { isObject, type JsonValue } from "../api/json-value.ts";
import { below, pointerParts, valueAt } from "./json-pointer.ts";

/** A patch that does not fit the document: its place is missing, or is inside a simple value. */
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
 * A document with one change; the parts that the change does not touch are shared with the old one.
 * Example: `{op: "remove", path: "/a/0"}` on `{a: [1, 2]}` gives `{a: [2]}`. `test` changes nothing and is
 * not checked.
 * @throws PatchMismatch when nothing stands where it leads Source: RFC 6902, sections 4.1 to 4.5
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

/** The document after all changes. @throws PatchMismatch */
export function applyOperations(document: JsonValue, operations: readonly PatchOperation[]): JsonValue {
  return operations.reduce(applyOperation, document);
}

/** One step of an operation, without its path. */
interface Edit {
  /** The change at the place; `move` and `copy` have been taken apart into these. */
  readonly op: "add" | "remove" | "replace";
  /** The new value; null and unused for `remove`. */
  readonly value: JsonValue;
  readonly operation: PatchOperation;
}

/**
 * A copy of `node` with the edit done at the path below it. Walks down one part of the path a call; the
 * copies are as many as the path is deep.
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
 * Like `changed`, for a list. The index `-` is the place after the last element and fits `add` only. RFC
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

/** The pointer to a new element at a list's end. */
export function endOf(pointer: string): string {
  return below(pointer, "-");
}
