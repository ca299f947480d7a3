import { attributeScopes } from "storage/api";
import { z } from "zod";
import { adjustedFields } from "../http/adjusted-json.ts";

// Numbers of 64 bits are strings, as protobuf's JSON writes them.
const uint64 = z.string().regex(/^\d+$/).describe("64 bits, as text.");

// JSON has no NaN and no infinities; protobuf's JSON writes them as strings.
const double = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);

// A label or attribute: `{"key": "service.name", "value": {"stringValue": "shop"}}`.
const keyValue = z
  .strictObject({ key: z.string(), value: z.looseObject({}).describe("OTLP's AnyValue.") })
  .meta({ id: "TempoKeyValue" });

// Counters of the work that an answer took. `completedJobs` below `totalJobs` marks a partial answer.
const metrics = z
  .strictObject({
    inspectedTraces: z.int().optional(),
    inspectedSpans: uint64,
    completedJobs: z.int(),
    totalJobs: z.int(),
    adjusted: z
      .strictObject({
        spans: z.int().describe("Stored spans that count."),
        standFor: z.number().describe("Spans that they stand for."),
        ...adjustedFields,
      })
      .optional()
      .describe("With `with(adjusted=true)`, whose values count what sampled spans stand for."),
  })
  .meta({ id: "TempoMetrics" });

// Spans of one trace that a spanset filter selects together.
const spanSet = z
  .strictObject({
    spans: z
      .array(
        z.strictObject({
          spanID: z.string(),
          name: z.string().optional(),
          startTimeUnixNano: uint64,
          durationNanos: uint64,
          attributes: z.array(keyValue).optional().describe("Those that the query names."),
        }),
      )
      .describe("The first of them, as many as `spss` says."),
    matched: z.int().describe("All of them."),
    attributes: z.array(keyValue).optional().describe("Of the set: `by(…)` and aggregates."),
  })
  .meta({ id: "TempoSpanSet" });

/** The answer of `/tempo/api/search`. */
export const searchSchema = z
  .strictObject({
    traces: z
      .array(
        z.strictObject({
          traceID: z.string(),
          rootServiceName: z.string(),
          rootTraceName: z.string().optional(),
          startTimeUnixNano: uint64,
          durationMs: z.int(),
          spanSet: spanSet.optional(),
          spanSets: z.array(spanSet),
          serviceStats: z.record(
            z.string(),
            z.strictObject({ spanCount: z.int(), errorCount: z.int().optional() }),
          ),
        }),
      )
      .describe("Newest first."),
    metrics,
  })
  .meta({ id: "TempoSearch" });

// A member that is always an empty object.
const none = z.strictObject({});

const listMetrics = z
  .strictObject({ completedJobs: z.int().optional(), totalJobs: z.int().optional() })
  .describe("Empty for a complete list; otherwise `totalJobs` is greater than `completedJobs`.")
  .meta({ id: "TempoListMetrics" });

/** The answer of `/tempo/api/search/tags`: `{"tagNames": ["region", "service.name"], "metrics": {}}`. */
export const tagsSchema = z
  .strictObject({ tagNames: z.array(z.string()), metrics: listMetrics })
  .meta({ id: "TempoTags" });

/**
 * The answer of `/tempo/api/v2/search/tags`: `{"scopes": [{"name": "span", "tags": ["region"]}], "metrics":
 * {}}`.
 */
export const tagsV2Schema = z
  .strictObject({
    scopes: z.array(z.strictObject({ name: z.enum(attributeScopes), tags: z.array(z.string()) })),
    metrics: listMetrics,
  })
  .meta({ id: "TempoTagsV2" });

/** The answer of `/tempo/api/search/tag/{tag}/values`: `{"tagValues": ["db", "shop"], "metrics": {}}`. */
export const tagValuesSchema = z
  .strictObject({ tagValues: z.array(z.string()), metrics: listMetrics })
  .meta({ id: "TempoTagValues" });

/** The answer of `/tempo/api/v2/search/tag/{tag}/values`, whose values have types. */
export const tagValuesV2Schema = z
  .strictObject({
    tagValues: z.array(
      z.strictObject({ type: z.enum(["string", "int", "float", "bool", "keyword"]), value: z.string() }),
    ),
    metrics: listMetrics,
  })
  .meta({ id: "TempoTagValuesV2" });

// Resources with their scopes and spans. They are not described further: OTLP defines them.
const resourceSpans = z
  .array(z.looseObject({}))
  .describe("As protobuf writes OTLP: ids in base64, enums as names.");

/** The answer of `/tempo/api/traces/{id}`. Tempo called the list `batches` before OTLP had its name. */
export const traceSchema = z.strictObject({ batches: resourceSpans }).meta({ id: "TempoTrace" });

/** The answer of `/tempo/api/v2/traces/{id}`. */
export const traceV2Schema = z
  .strictObject({
    trace: z.strictObject({ resourceSpans }),
    metrics: none,
    status: z.literal("COMPLETE"),
  })
  .meta({ id: "TempoTraceV2" });

// Marks an answer of metrics that lacks series or spans, with the reason.
const partial = { status: z.literal("PARTIAL").optional(), message: z.string().optional() };

// Labels of a series, such as `resource.service.name`.
const labels = z.array(keyValue);

/** The answer of `/tempo/api/metrics/query_range`: series with a sample for each step. */
export const rangeSchema = z
  .strictObject({
    series: z.array(
      z.strictObject({
        labels,
        samples: z.array(z.strictObject({ timestampMs: z.string(), value: double })),
        exemplars: z.array(z.strictObject({ labels, value: double, timestampMs: z.string() })).optional(),
      }),
    ),
    metrics,
    ...partial,
  })
  .meta({ id: "TempoRange" });

/** The answer of `/tempo/api/metrics/query`: one value for each series. */
export const instantSchema = z
  .strictObject({ series: z.array(z.strictObject({ labels, value: double })), metrics, ...partial })
  .meta({ id: "TempoInstant" });

/**
 * The answer of `/tempo/api/status/buildinfo`. Grafana reads the version, and sends only requests that this version of
 * Tempo supports.
 */
export const buildInfoSchema = z
  .strictObject({
    version: z.string().describe("Of Tempo, whose API this is."),
    revision: z.string(),
    branch: z.string(),
    buildUser: z.string(),
    buildDate: z.string(),
    goVersion: z.string(),
  })
  .meta({ id: "TempoBuildInfo" });
