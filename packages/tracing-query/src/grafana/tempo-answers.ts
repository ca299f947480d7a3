// What Grafana's Tempo data source reads out of answers, for tests: as its Go structs (protobuf's JSON) and its TypeScript
// take them, so that a schema fails where the data source would. Source: grafana/grafana, pkg/tsdb/tempo and
// public/app/plugins/datasource/tempo; grafana/tempo, pkg/tempopb
import { z } from "zod";

/** 64 bits, as protobuf's JSON writes them, and as `parseInt` takes them. */
const nanos = z.string().regex(/^\d+$/);

/** Protobuf's JSON takes one of these, and no other name. */
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]) }),
  z.strictObject({ boolValue: z.boolean() }),
]);

const keyValue = z.strictObject({ key: z.string().min(1), value: anyValue });

/** Go's decoder of protobuf's JSON refuses names that it does not know. */
const metrics = z.strictObject({
  inspectedTraces: z.int().min(0).optional(),
  inspectedBytes: nanos.optional(),
  inspectedSpans: nanos.optional(),
  totalBlocks: z.int().optional(),
  completedJobs: z.int().optional(),
  totalJobs: z.int().optional(),
  totalBlockBytes: nanos.optional(),
});

const spanSet = z.object({
  // Gone through without a look whether they are there.
  spans: z.array(
    z.object({
      spanID: z.string().regex(/^[0-9a-f]{16}$/),
      name: z.string().optional(),
      startTimeUnixNano: nanos,
      durationNanos: nanos,
      attributes: z.array(keyValue).optional(),
    }),
  ),
  matched: z.int().min(0),
  attributes: z.array(keyValue).optional(),
});

export const searchAnswer = z.object({
  traces: z.array(
    z.object({
      traceID: z.string().regex(/^[0-9a-f]{1,32}$/),
      rootServiceName: z.string().optional(),
      rootTraceName: z.string().optional(),
      startTimeUnixNano: nanos,
      durationMs: z.int().min(0).max(0xffffffff),
      spanSet: spanSet.optional(),
      spanSets: z.array(spanSet).optional(),
      serviceStats: z
        .record(z.string(), z.strictObject({ spanCount: z.int().optional(), errorCount: z.int().optional() }))
        .optional(),
    }),
  ),
  metrics,
});

export const tagsV2Answer = z.object({
  scopes: z.array(
    z.object({
      name: z.enum(["span", "resource", "event", "link", "instrumentation", "intrinsic"]),
      tags: z.array(z.string()),
    }),
  ),
});

export const tagsAnswer = z.object({ tagNames: z.array(z.string()) });

export const tagValuesV2Answer = z.object({
  tagValues: z.array(
    z.object({ type: z.enum(["string", "int", "float", "bool", "keyword", "duration"]), value: z.string() }),
  ),
});

export const tagValuesAnswer = z.object({ tagValues: z.array(z.string()) });

/** Features are chosen by it. */
export const buildInfoAnswer = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+/) });

const double = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);

const partial = { status: z.enum(["COMPLETE", "PARTIAL"]).optional(), message: z.string().optional() };

export const rangeAnswer = z.strictObject({
  series: z.array(
    z.strictObject({
      labels: z.array(keyValue),
      samples: z.array(z.strictObject({ timestampMs: z.string().regex(/^-?\d+$/), value: double })),
      exemplars: z
        .array(
          z.strictObject({
            labels: z.array(keyValue),
            value: double,
            timestampMs: z.string().regex(/^-?\d+$/),
          }),
        )
        .optional(),
    }),
  ),
  metrics,
  ...partial,
});

export const instantAnswer = z.strictObject({
  series: z.array(z.strictObject({ labels: z.array(keyValue), value: double })),
  metrics,
  ...partial,
});
