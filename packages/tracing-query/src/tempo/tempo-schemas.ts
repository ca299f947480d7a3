import { attributeScopes } from "storage/api";
import { z } from "zod";
import { adjustedFields } from "../http/adjusted-json.ts";

const uint64 = z.string().regex(/^\d+$/).describe("64 bits, as text.");

const double = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);

const keyValue = z
  .strictObject({ key: z.string(), value: z.looseObject({}).describe("OTLP's AnyValue.") })
  .meta({ id: "TempoKeyValue" });

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

const none = z.strictObject({});

const listMetrics = z
  .strictObject({ completedJobs: z.int().optional(), totalJobs: z.int().optional() })
  .describe("Empty for a complete list; otherwise `totalJobs` is greater than `completedJobs`.")
  .meta({ id: "TempoListMetrics" });

export const tagsSchema = z
  .strictObject({ tagNames: z.array(z.string()), metrics: listMetrics })
  .meta({ id: "TempoTags" });

export const tagsV2Schema = z
  .strictObject({
    scopes: z.array(z.strictObject({ name: z.enum(attributeScopes), tags: z.array(z.string()) })),
    metrics: listMetrics,
  })
  .meta({ id: "TempoTagsV2" });

export const tagValuesSchema = z
  .strictObject({ tagValues: z.array(z.string()), metrics: listMetrics })
  .meta({ id: "TempoTagValues" });

export const tagValuesV2Schema = z
  .strictObject({
    tagValues: z.array(
      z.strictObject({ type: z.enum(["string", "int", "float", "bool", "keyword"]), value: z.string() }),
    ),
    metrics: listMetrics,
  })
  .meta({ id: "TempoTagValuesV2" });

const resourceSpans = z
  .array(z.looseObject({}))
  .describe("As protobuf writes OTLP: ids in base64, enums as names.");

export const traceSchema = z.strictObject({ batches: resourceSpans }).meta({ id: "TempoTrace" });

export const traceV2Schema = z
  .strictObject({
    trace: z.strictObject({ resourceSpans }),
    metrics: none,
    status: z.literal("COMPLETE"),
  })
  .meta({ id: "TempoTraceV2" });

const partial = { status: z.literal("PARTIAL").optional(), message: z.string().optional() };

const labels = z.array(keyValue);

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

export const instantSchema = z
  .strictObject({ series: z.array(z.strictObject({ labels, value: double })), metrics, ...partial })
  .meta({ id: "TempoInstant" });

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
