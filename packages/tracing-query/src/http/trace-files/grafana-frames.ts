import { isObject, type JsonObject, objectsIn } from "./json-shape.ts";
import { anyValue, textOf } from "./otlp-values.ts";

/** A frame's columns by name. */
type Columns = ReadonlyMap<string, readonly unknown[]>;

/** Limit of nesting at which answers contain frames: a list, an answer, its results, a result, its frames. */
const maxLevels = 6;
// Span kinds of OTLP; others become 0, unspecified.
const kinds = new Set(["internal", "server", "client", "producer", "consumer"]);

/**
 * Finds the frames with spans in the output of Grafana's inspector: frames with `schema` and `data`, frames with values
 * in their fields, or answers that contain such frames.
 */
export function framesIn(value: unknown, levels = maxLevels): readonly Columns[] {
  const below = (part: unknown) => framesIn(part, levels - 1);
  if (levels > 0 && Array.isArray(value)) {
    return objectsIn(value).flatMap(below);
  }
  if (levels === 0 || !isObject(value)) {
    return [];
  }
  const columns = columnsOf(value);
  if (columns.has("traceID") && columns.has("spanID")) {
    return [columns];
  }
  const results = isObject(value.results) ? Object.values(value.results) : [];
  return [value.response, value.series, value.frames, ...results].flatMap(below);
}

/** The columns of a frame: in the fields themselves, or in `data.values` in the order of the schema's fields. */
function columnsOf({ fields, schema, data }: JsonObject): Columns {
  const named = objectsIn(isObject(schema) ? schema.fields : fields);
  const values = isObject(data) && Array.isArray(data.values) ? data.values : [];
  return new Map(
    named.map((field, index): [string, readonly unknown[]] => {
      const column: unknown = field.values ?? values[index];
      return [String(field.name), Array.isArray(column) ? column : []];
    }),
  );
}

/**
 * Converts frames to resource spans of OTLP JSON, one for each row. Times are in milliseconds with fractions.
 *
 * ```
 * traceID ["71a8…"], spanID ["…a1"], operationName ["GET /"], startTime [1795967689000], duration [100]
 * → one resource with one span, 100 ms long
 * ```
 */
export function otlpOfFrames(frames: readonly Columns[]): readonly unknown[] {
  return frames.flatMap((columns) =>
    (columns.get("traceID") ?? []).map((_, row) =>
      resourceSpansOf((name) => columns.get(name)?.[row] ?? undefined),
    ),
  );
}

/** Converts one row to a resource with its span. @param cell returns the row's value in a column */
function resourceSpansOf(cell: (name: string) => unknown): unknown {
  const tags = entriesOf(cell("serviceTags"));
  const service = { key: "service.name", value: anyValue(cell("serviceName") ?? "") };
  const hasService = tags.some(({ key }) => key === service.key);
  const scope = {
    name: textOf(cell("instrumentationLibraryName")),
    version: textOf(cell("instrumentationLibraryVersion")),
  };
  return {
    resource: { attributes: hasService ? tags : [service, ...tags] },
    scopeSpans: [{ scope, spans: [spanOf(cell)] }],
  };
}

/** Converts a row to a span. Ids lose leading zeros in frames; they are added again. */
function spanOf(cell: (name: string) => unknown): unknown {
  const start = nanosOf(cell("startTime"));
  const kind = textOf(cell("kind")).toLowerCase();
  return {
    traceId: textOf(cell("traceID")).padStart(32, "0"),
    spanId: textOf(cell("spanID")).padStart(16, "0"),
    parentSpanId: textOf(cell("parentSpanID")) === "" ? "" : textOf(cell("parentSpanID")).padStart(16, "0"),
    traceState: textOf(cell("traceState")),
    name: textOf(cell("operationName")),
    kind: kinds.has(kind) ? `SPAN_KIND_${kind.toUpperCase()}` : 0,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + durationOf(cell("duration"))),
    status: { code: Number(cell("statusCode") ?? 0), message: textOf(cell("statusMessage")) },
    attributes: entriesOf(cell("tags")),
    events: listOf(cell("logs")).map(({ timestamp, name, fields }) => ({
      timeUnixNano: String(nanosOf(timestamp)),
      name: textOf(name),
      attributes: entriesOf(fields),
    })),
    links: listOf(cell("references")).map(({ traceID, spanID, tags }) => ({
      traceId: textOf(traceID).padStart(32, "0"),
      spanId: textOf(spanID).padStart(16, "0"),
      attributes: entriesOf(tags),
    })),
  };
}

/** A double represents such a time to a quarter of a microsecond, so further digits are dropped. */
function nanosOf(milliseconds: unknown): bigint {
  const micros = Math.round(Number(milliseconds ?? 0) * 1_000);
  return Number.isSafeInteger(micros) ? BigInt(micros) * 1_000n : 0n;
}

/** Nanoseconds of a duration, which is small enough for a double to represent exactly. */
function durationOf(milliseconds: unknown): bigint {
  const nanos = Math.round(Number(milliseconds ?? 0) * 1_000_000);
  return Number.isSafeInteger(nanos) ? BigInt(nanos) : 0n;
}

/** Some versions write lists as JSON text. */
function listOf(cell: unknown): readonly JsonObject[] {
  if (typeof cell !== "string") {
    return objectsIn(cell);
  }
  try {
    return objectsIn(JSON.parse(cell));
  } catch {
    return [];
  }
}

/** Converts tags to OTLP attributes. */
function entriesOf(cell: unknown): { key: string; value: unknown }[] {
  return listOf(cell).map(({ key, value }) => ({ key: textOf(key), value: anyValue(value) }));
}
