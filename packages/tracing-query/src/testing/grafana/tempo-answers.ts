// The fields of answers that Grafana's Tempo data source reads, for tests. A schema fails where the data
// source would: its Go structs read protobuf JSON. Source: grafana/grafana, pkg/tsdb/tempo and
// public/app/plugins/datasource/tempo; grafana/tempo, pkg/tempopb
import { z } from "zod";

/** A 64-bit number as protobuf's JSON writes it; `parseInt` reads it too. */
const nanos = z.string().regex(/^\d+$/);

/** Protobuf's JSON accepts exactly one of these names. */
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]) }),
  z.strictObject({ boolValue: z.boolean() }),
]);

const keyValue = z.strictObject({ key: z.string().min(1), value: anyValue });

/** Go's decoder of protobuf's JSON refuses unknown names. */
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
  // Grafana iterates over this list without a check that it exists.
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

/** Grafana chooses its features by this version. */
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
