import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const protos = fileURLToPath(new URL("../../../../../protos/", import.meta.url));

const root = new protobuf.Root();
// Imports are relative to the folder of all protos; protobuf.js itself has the files of google/protobuf.
root.resolvePath = (_origin, target) =>
  target.startsWith("google/protobuf/") ? target : `${protos}${target}`;
root.loadSync([
  "opentelemetry/proto/collector/trace/v1/trace_service.proto",
  "tempopb/tempo.proto",
  "tracing/api_v2/collector.proto",
  "tracing/api_v2/query.proto",
  "tracing/api_v2/sampling.proto",
  "zipkin/proto3/zipkin.proto",
]);

const idFields = new Set(["traceId", "spanId", "parentSpanId", "parentId", "id"]);

/** Ids are hex in our objects, but bytes for protobuf.js. */
function withBytes(value: unknown, name = ""): unknown {
  if (typeof value === "string" && idFields.has(name)) {
    return Buffer.from(value, "hex");
  }
  if (Array.isArray(value)) {
    return value.map((element) => withBytes(element));
  }
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withBytes(member, key)]));
}

/**
 * A message in protobuf, written by protobuf.js from the files in protos/, so that it is independent of the codecs
 * under test.
 * @param type full name of the message, such as `tracing.api_v2.PostSpansRequest`
 * @param value members in lowerCamelCase; ids in hex, other bytes in base64, 64-bit numbers as decimal texts
 */
export function protobufMessage(type: string, value: object): Uint8Array {
  const message = root.lookupType(type);
  return message.encode(message.fromObject(withBytes(value) as Record<string, unknown>)).finish();
}

/** Converts ids to hex, the form that `protobufMessage` expects. */
function withHex(value: unknown, name = ""): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString(idFields.has(name) ? "hex" : "base64");
  }
  if (Array.isArray(value)) {
    return value.map((element) => withHex(element));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withHex(member, key)]));
}

/**
 * Parses a message with protobuf.js: the reverse of `protobufMessage`. Absent fields are omitted; enums become names,
 * and NaN becomes a text.
 */
export function protobufObject(type: string, bytes: Uint8Array): Record<string, unknown> {
  const message = root.lookupType(type);
  const object = message.toObject(message.decode(bytes), { longs: String, enums: String, json: true });
  return withHex(object) as Record<string, unknown>;
}
