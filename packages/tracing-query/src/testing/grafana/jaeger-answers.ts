// The fields of answers that Grafana's Jaeger data source reads, for tests. A schema fails where the data
// source would. Source: grafana/grafana, pkg/tsdb/jaeger and public/app/plugins/datasource/jaeger
import { z } from "zod";

/** Go's decoder accepts null, or no value, for every field. */
const list = <T extends z.ZodType>(item: T) => z.array(item).nullish();
const int64 = z.int();

const keyValue = z.object({ key: z.string(), type: z.string(), value: z.unknown() });

const envelope = { errors: z.unknown(), limit: z.int(), offset: z.int(), total: z.int() };

/** Service names, or the operations of one service. */
export const namesAnswer = z.object({ ...envelope, data: z.array(z.string()) });

const span = z.object({
  traceID: z.string().min(1),
  spanID: z.string().min(1),
  processID: z.string().min(1),
  operationName: z.string(),
  startTime: int64,
  duration: int64,
  // The data source maps over this list without a check that it exists.
  logs: z.array(z.object({ timestamp: int64, fields: list(keyValue), name: z.string().optional() })),
  references: list(z.object({ refType: z.string(), spanID: z.string(), traceID: z.string() })),
  tags: list(keyValue),
  warnings: list(z.string()),
  flags: z.int().optional(),
  stackTraces: list(z.string()),
});

const trace = z
  .object({
    traceID: z.string().min(1),
    // The data source reads the first span.
    spans: z.array(span).min(1),
    processes: z.record(z.string(), z.object({ serviceName: z.string(), tags: list(keyValue) })),
    warnings: list(z.string()),
  })
  .refine(({ spans, processes }) => spans.every(({ processID }) => processes[processID] !== undefined), {
    error: "a span has a process that is not there",
  });

/** The answer to a search. */
export const searchAnswer = z.object({ ...envelope, data: z.array(trace) });

/** The answer to a trace by id. The data source takes the first trace without a check that it exists. */
export const traceAnswer = z.object({ ...envelope, data: z.array(trace).min(1) });

export const dependenciesAnswer = z.object({
  data: z.array(z.object({ parent: z.string(), child: z.string(), callCount: z.int() })),
  errors: list(z.object({ code: z.int(), msg: z.string() })),
});

// Answers under `/api/v3`, which Grafana requests with its feature toggle jaegerEnableGrpcEndpoint.

const attribute = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: z.string().optional(),
    doubleValue: z.number().optional(),
    bytesValue: z.string().optional(),
  }),
});

const otlpSpan = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  traceState: z.string().optional(),
  flags: z.int().optional(),
  name: z.string().optional(),
  kind: z.int().optional(),
  startTimeUnixNano: z.string().regex(/^\d+$/),
  endTimeUnixNano: z.string().regex(/^\d+$/),
  attributes: list(attribute),
  status: z.object({ message: z.string().optional(), code: z.int().optional() }).optional(),
});

export const servicesV3Answer = z.object({ services: list(z.string()) });

export const operationsV3Answer = z.object({
  operations: list(z.object({ name: z.string(), spanKind: z.string() })),
});

export const tracesV3Answer = z.object({
  result: z.object({
    resourceSpans: list(
      z.object({
        resource: z.object({ attributes: list(attribute) }),
        scopeSpans: list(
          z.object({ scope: z.object({ name: z.string().optional() }), spans: list(otlpSpan) }),
        ),
      }),
    ),
  }),
});

/** A failure under `/api/v3`. */
export const failureV3Answer = z.object({ error: z.object({ httpCode: z.int(), message: z.string() }) });
