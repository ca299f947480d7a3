import { errorWithin, messageOf, ServerError } from "../errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, member } from "../json/json-value.ts";
import { DocumentSize } from "./document-size.ts";
import { jsonEqual } from "./json-equal.ts";
import { parseJsonPointer } from "./json-pointer.ts";

/** Maximum number of operations in one patch. A patch with more is refused. */
export const maxPatchOperations = 10_000;

/** One operation of a patch, with split pointers. */
export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: readonly string[]; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: readonly string[] }
  | { readonly op: "move" | "copy"; readonly from: readonly string[]; readonly path: readonly string[] };

function conflict(message: string): ServerError {
  return new ServerError("PATCH_CONFLICT", message);
}

function textMember(operation: JsonObject, key: string): string {
  const value = member(operation, key);
  if (typeof value !== "string") {
    const fault = value === undefined ? "is missing" : "is not a string";
    throw new ServerError("PATCH_MALFORMED", `member '${key}' ${fault}`);
  }
  return value;
}

function parseOperation(operation: JsonValue): PatchOperation {
  if (!isJsonObject(operation)) {
    throw new ServerError("PATCH_MALFORMED", "an operation is an object");
  }
  const op = textMember(operation, "op");
  const path = parseJsonPointer(textMember(operation, "path"));
  switch (op) {
    case "add":
    case "replace":
    case "test": {
      const value = member(operation, "value");
      if (value === undefined) {
        throw new ServerError("PATCH_MALFORMED", "member 'value' is missing");
      }
      return { op, path, value };
    }
    case "remove":
      return { op, path };
    case "move":
    case "copy":
      return { op, from: parseJsonPointer(textMember(operation, "from")), path };
    default:
      throw new ServerError(
        "PATCH_MALFORMED",
        `op '${op}' is none of add, remove, replace, move, copy, test`,
      );
  }
}

/**
 * Reads a JSON patch. Members that RFC 6902 does not name are ignored, as the RFC requires.
 * @throws ServerError PATCH_MALFORMED naming the operation, counted from 0; also above {@link maxPatchOperations}
 */
export function parseJsonPatch(patch: JsonValue): PatchOperation[] {
  if (!isJsonArray(patch)) {
    throw new ServerError("PATCH_MALFORMED", "a JSON patch is an array of operations");
  }
  if (patch.length > maxPatchOperations) {
    throw new ServerError("PATCH_MALFORMED", `${patch.length} operations, limit ${maxPatchOperations}`);
  }
  return patch.map((operation, position) => {
    try {
      return parseOperation(operation);
    } catch (error) {
      throw errorWithin(`operation ${position}`, error);
    }
  });
}

/** @param limit the highest index allowed */
function indexOf(token: string, limit: number): number {
  if (!/^(?:0|[1-9]\d*)$/.test(token)) {
    throw conflict(`'${token}' is not an array index`);
  }
  const index = Number(token);
  if (index > limit) {
    throw conflict(`array index out of bounds: ${token}`);
  }
  return index;
}

function valueAt(document: JsonValue, path: readonly string[]): JsonValue {
  let current = document;
  for (const token of path) {
    let child: JsonValue | undefined;
    if (isJsonArray(current)) {
      child = current[indexOf(token, current.length - 1)];
    } else if (isJsonObject(current)) {
      child = member(current, token);
    } else {
      throw conflict(`there is nothing below a ${current === null ? "null" : typeof current}: '${token}'`);
    }
    if (child === undefined) {
      throw conflict(`key does not exist: ${token}`);
    }
    current = child;
  }
  return current;
}

/** Used instead of a value: removes the target. */
const removed = Symbol("removed");
type Put = { readonly insert: boolean; readonly value: JsonValue | typeof removed };

function putChild(parent: JsonValue, token: string, { insert, value }: Put): JsonValue {
  if (isJsonArray(parent)) {
    if (insert && value !== removed) {
      return parent.toSpliced(token === "-" ? parent.length : indexOf(token, parent.length), 0, value);
    }
    const index = indexOf(token, parent.length - 1);
    return value === removed ? parent.toSpliced(index, 1) : parent.with(index, value);
  }
  if (!isJsonObject(parent)) {
    throw conflict(`there is nothing below a ${parent === null ? "null" : typeof parent}: '${token}'`);
  }
  if (!insert && member(parent, token) === undefined) {
    throw conflict(`key does not exist: ${token}`);
  }
  if (value === removed) {
    return Object.fromEntries(Object.entries(parent).filter(([key]) => key !== token));
  }
  // `Object.fromEntries` creates an own member even for the name `__proto__`.
  return Object.fromEntries([...Object.entries(parent).filter(([key]) => key !== token), [token, value]]);
}

function put(document: JsonValue, path: readonly string[], change: Put): JsonValue {
  const [token, ...rest] = path;
  if (token === undefined) {
    return change.value === removed ? null : change.value;
  }
  if (rest.length === 0) {
    return putChild(document, token, change);
  }
  const child = put(valueAt(document, [token]), rest, change);
  return putChild(document, token, { insert: false, value: child });
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length < path.length && prefix.every((token, position) => token === path[position]);
}

function applyOperation(document: JsonValue, operation: PatchOperation): JsonValue {
  const { op, path } = operation;
  switch (op) {
    case "add":
      return put(document, path, { insert: true, value: operation.value });
    case "replace":
      valueAt(document, path);
      return put(document, path, { insert: false, value: operation.value });
    case "remove":
      return put(document, path, { insert: false, value: removed });
    case "copy":
      return put(document, path, { insert: true, value: valueAt(document, operation.from) });
    case "move": {
      const value = valueAt(document, operation.from);
      if (isPrefix(operation.from, path)) {
        throw conflict("a value cannot be moved into itself");
      }
      const without = put(document, operation.from, { insert: false, value: removed });
      return put(without, path, { insert: true, value });
    }
    case "test":
      if (!jsonEqual(valueAt(document, path), operation.value)) {
        throw conflict("the test fails: another value stands there");
      }
      return document;
  }
}

/**
 * Applies all operations, or none. Existing values are never changed; the result shares its unchanged parts with
 * `document`.
 */
export function applyJsonPatch(document: JsonValue, operations: readonly PatchOperation[]): JsonValue {
  const size = new DocumentSize();
  let current = document;
  for (const [position, operation] of operations.entries()) {
    try {
      if (operation.op === "copy") {
        size.copy(valueAt(current, operation.from));
      }
      current = applyOperation(current, operation);
    } catch (error) {
      const code = error instanceof ServerError ? error.code : "PATCH_CONFLICT";
      const what = `operation ${position} (${operation.op} ${operation.path.map((token) => `/${token}`).join("")})`;
      throw new ServerError(code, `${what}: ${messageOf(error)}`, { cause: error });
    }
  }
  size.check(current);
  return current;
}
