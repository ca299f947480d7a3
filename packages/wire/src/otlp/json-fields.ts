import { WireError } from "../errors.ts";

/** A JSON object whose members are not yet checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

const int64Text = /^-?\d{1,20}$/;
const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Readers of single members of protobuf JSON. Each takes a member by its lowerCamelCase name or, failing that, by the
 * proto's own snake_case name; absent and null are the type's default. What does not fit is WireError WIRE_MALFORMED.
 *
 * Source: protobuf.dev, "ProtoJSON format"; opentelemetry-proto docs/specification.md, "JSON Protobuf Encoding".
 */
export function member(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)] ?? undefined;
}

/** A message; `undefined` when absent. */
export function messageOf(object: JsonObject, name: string): JsonObject | undefined {
  const value = member(object, name);
  if (value === undefined) return undefined;
  return asObject(value, name);
}

/** The items of a repeated message. */
export function messagesOf(object: JsonObject, name: string): JsonObject[] {
  const value = member(object, name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw unfit(name, "an array", value);
  return value.map((item) => asObject(item, name));
}

export function asObject(value: unknown, name: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unfit(name, "an object", value);
  return value as JsonObject;
}

export function stringOf(object: JsonObject, name: string): string {
  return asString(member(object, name) ?? "", name);
}

export function asString(value: unknown, name: string): string {
  if (typeof value !== "string") throw unfit(name, "a string", value);
  return value;
}

export function asBool(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw unfit(name, "true or false", value);
  return value;
}

/** A signed 64-bit int, given as a number or a string. */
export function asInt64(value: unknown, name: string): bigint {
  const int = asInt(value, name);
  if (BigInt.asIntN(64, int) !== int) throw unfit(name, "a 64-bit integer", value);
  return int;
}

/** A time in nanoseconds since the epoch: unsigned 64 bits. */
export function timeOf(object: JsonObject, name: string): bigint {
  const value = member(object, name) ?? 0;
  const int = asInt(value, name);
  if (BigInt.asUintN(64, int) !== int) throw unfit(name, "an unsigned 64-bit integer", value);
  return int;
}

/** An unsigned 32-bit int, given as a number or a string. */
export function uint32Of(object: JsonObject, name: string): number {
  const value = member(object, name) ?? 0;
  const int = asInt(value, name);
  if (BigInt.asUintN(32, int) !== int) throw unfit(name, "an unsigned 32-bit integer", value);
  return Number(int);
}

/** A double, given as a number or as a string (`NaN`, `Infinity`, `-Infinity` or digits). */
export function asDouble(value: unknown, name: string): number {
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  if (typeof value === "string" && value.trim() !== "") {
    const double = Number(value);
    if (!Number.isNaN(double) || value === "NaN") return double;
  }
  throw unfit(name, "a number", value);
}

/** Bytes in base64, of the plain or the URL-safe alphabet, padded or not. */
export function asBytes(value: unknown, name: string): Uint8Array {
  if (typeof value !== "string" || !base64Text.test(value)) throw unfit(name, "base64", value);
  return Buffer.from(value, "base64");
}

/**
 * An enum, given by number or as `<prefix><NAME>`, as its place in `names`. Numbers that it does not define are 0.
 */
export function enumOf<T extends string>(
  object: JsonObject,
  name: string,
  prefix: string,
  names: readonly [T, ...T[]],
): T {
  const value = member(object, name) ?? 0;
  if (typeof value === "number" && Number.isInteger(value)) return names[value] ?? names[0];
  const found = names.find((one) => value === `${prefix}${one.toUpperCase()}`);
  if (found === undefined) throw unfit(name, `a number or ${prefix}…`, value);
  return found;
}

/**
 * An id as lower-case hex; "" when it is absent or empty.
 * @throws WireError WIRE_BAD_ID when it has another length than `byteCount * 2`; WIRE_MALFORMED when it is not hex
 */
export function idOf(object: JsonObject, name: string, byteCount: number): string {
  const id = stringOf(object, name);
  if (id === "") return "";
  if (id.length !== byteCount * 2) {
    throw new WireError("WIRE_BAD_ID", `${name} has ${id.length} hex digits, not ${byteCount * 2}`);
  }
  if (!/^[0-9a-fA-F]+$/.test(id)) throw unfit(name, "hex", id);
  return id.toLowerCase();
}

function asInt(value: unknown, name: string): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (typeof value === "string" && int64Text.test(value)) return BigInt(value);
  throw unfit(name, "an integer", value);
}

function unfit(name: string, wanted: string, value: unknown): WireError {
  return new WireError("WIRE_MALFORMED", `${name} is ${shownOf(value)}, not ${wanted}`);
}

function shownOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

const snakeCases = new Map<string, string>();

function snakeCase(name: string): string {
  let snake = snakeCases.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCases.set(name, snake);
  }
  return snake;
}
