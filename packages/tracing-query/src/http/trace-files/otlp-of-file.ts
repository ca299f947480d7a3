import { framesIn, otlpOfFrames } from "./grafana-frames.ts";
import { isObject, type JsonObject, objectsIn } from "./json-shape.ts";
import { otlpOfConsoleSpans } from "./sdk-console-spans.ts";

/** Matches OTLP's own form, which the decoder reads without conversion. */
const beginsAsOtlp = /^\s*\{\s*"resourceSpans"\s*:/;
/** Matches ids in base64, as in protobuf's own JSON; OTLP's JSON has hex. */
const hasBase64Id = /"traceId"\s*:\s*"[A-Za-z0-9+/]{22}=="/;
/** Number of bytes that suffice to recognize a document's form. */
const shownBytes = 65_536;

/**
 * Converts a document of another program to the form of OTLP JSON. Tempo's API and Grafana's download have `batches` or
 * `trace`, with ids in base64 or hex. The query API v3 has `result`. Grafana's inspector shows data frames, and console
 * exporters of SDKs write one span per document. Other documents are returned unchanged, so that the decoder reports
 * their fault.
 */
export function otlpOfFile(document: Buffer): Buffer {
  const begin = document.toString("latin1", 0, shownBytes);
  if (beginsAsOtlp.test(begin) && !hasBase64Id.test(begin)) {
    return document;
  }
  let value: unknown;
  try {
    value = JSON.parse(document.toString());
  } catch {
    return document;
  }
  const groups = groupsIn(value);
  if (groups !== undefined) {
    return bytesOf(groups.map(withHexIds));
  }
  const spans = otlpOfConsoleSpans(value);
  if (spans !== undefined) {
    return bytesOf(spans);
  }
  const frames = framesIn(value);
  return frames.length === 0 ? document : bytesOf(otlpOfFrames(frames));
}

/** True for a list of spans in the form of Zipkin's API and UI. */
export function isZipkinFile(document: Buffer): boolean {
  const begin = document.toString("latin1", 0, shownBytes);
  return /^\s*\[\s*\{/.test(begin) && begin.includes('"traceId"') && !begin.includes('"traceID"');
}

function bytesOf(resourceSpans: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ resourceSpans }));
}

/** The resource spans of a document, at most four levels deep; undefined when it has none. */
function groupsIn(value: unknown, levels = 4): readonly unknown[] | undefined {
  if (levels === 0 || !isObject(value)) {
    return undefined;
  }
  for (const list of [value.resourceSpans, value.batches]) {
    if (Array.isArray(list)) {
      return list;
    }
  }
  return groupsIn(value.trace, levels - 1) ?? groupsIn(value.result, levels - 1);
}

/** Converts ids in base64 to hex. Parts of a wrong type stay unchanged, and the decoder reports them. */
function withHexIds(group: unknown): unknown {
  if (!isObject(group)) {
    return group;
  }
  for (const scope of [...objectsIn(group.scopeSpans), ...objectsIn(group.instrumentationLibrarySpans)]) {
    for (const span of objectsIn(scope.spans)) {
      toHex(span, ["traceId", "spanId", "parentSpanId"]);
      for (const link of objectsIn(span.links)) {
        toHex(link, ["traceId", "spanId"]);
      }
    }
  }
  return group;
}

function toHex(owner: JsonObject, names: readonly string[]): void {
  for (const name of names) {
    const id = owner[name];
    // 8 and 16 bytes in base64 end with "="; hex digits never do.
    if (typeof id === "string" && id.endsWith("=")) {
      owner[name] = Buffer.from(id, "base64").toString("hex");
    }
  }
}
