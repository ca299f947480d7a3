import { type QueryClient, queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { parseDuration } from "../format/parse-duration.ts";
import type { TraceSummary } from "../trace/summarise-trace.ts";
import { type AskedRange, timesOf } from "./analysis.ts";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";
import { unixMicros } from "./unix-micros.ts";

/** An attribute in OTLP JSON: `{"key": "http.method", "value": {"stringValue": "GET"}}`. */
const attribute = z.object({
  key: z.string(),
  value: z.looseObject({ stringValue: z.optional(z.string()) }),
});

/**
 * Maximum number of spans of a trace whose values fill the extra columns. More spans would mostly repeat values, and
 * each enlarges the answer.
 */
const mostSpans = 10;

/** The answer of Tempo's `GET /api/search`, as far as the list needs it. */
const found = z.object({
  traces: z.nullish(
    z.array(
      z.object({
        traceID: z.string(),
        rootServiceName: z.optional(z.string()),
        rootTraceName: z.optional(z.string()),
        startTimeUnixNano: z.string(),
        durationMs: z.optional(z.number()),
        spanSet: z.optional(
          z.object({ spans: z.array(z.object({ attributes: z.nullish(z.array(attribute)) })) }),
        ),
        serviceStats: z.optional(
          z.record(z.string(), z.object({ spanCount: z.optional(z.int()), errorCount: z.optional(z.int()) })),
        ),
      }),
    ),
  ),
});

/** One trace of the answer of `GET /api/search`. */
type FoundTrace = NonNullable<z.infer<typeof found>["traces"]>[number];

/** The service's text for a missing root name. */
const noRoot = "<root span not yet received>";

/** A search in TraceQL. */
export interface TraceQlSearch {
  /** The query as the user wrote it. */
  q: string;
  /** Time range in which the traces start. */
  range: AskedRange;
  /** Maximum number of traces that the answer may contain. */
  limit: number;
  /** Attributes to show as columns, in TraceQL syntax. */
  columns?: readonly string[];
}

/**
 * The traces that a TraceQL query finds, newest first, without their spans. The requested range is widened to whole
 * seconds.
 */
export function traceQlSearchQuery(search: TraceQlSearch | undefined) {
  return queryOptions({
    queryKey: ["traceql", search],
    queryFn: async ({ signal }): Promise<readonly TraceSummary[]> => {
      if (search === undefined) {
        return [];
      }
      const { columns = [] } = search;
      const { startUs, endUs } = timesOf(search.range, Date.now());
      const read = async (q: string) => {
        const parameters = new URLSearchParams({
          q,
          start: String(Math.floor(startUs / 1e6)),
          end: String(Math.ceil(endUs / 1e6)),
          limit: String(search.limit),
          spss: String(columns.length === 0 ? 1 : mostSpans),
        });
        const { traces } = await readJson(`tempo/api/search?${parameters}`, found, signal);
        return (traces ?? []).map((trace) => summaryOf(trace, columns));
      };
      try {
        // The answer has durations in whole milliseconds; `traceDuration` adds the exact duration.
        return await read(`${search.q}\n| select(${["traceDuration", ...columns].join(", ")})`);
      } catch (error) {
        // The error names a line and column, so it must come from the user's own text without the added line.
        if (error instanceof ApiError && error.code === "API_REFUSED") {
          return read(search.q);
        }
        throw error;
      }
    },
    enabled: search !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * The server's error message for a mistake in a TraceQL query. The editor requests it after each pause in typing.
 * @returns undefined without a mistake, or when the request fails for another reason
 */
export async function traceQlProblem(queries: QueryClient, q: string): Promise<string | undefined> {
  return await queries
    .fetchQuery({
      queryKey: ["traceql-problem", q],
      queryFn: async ({ signal }) => {
        // The range is one second of 1970: the server parses the query but reads no spans.
        const parameters = new URLSearchParams({ q, start: "1", end: "2", limit: "1" });
        try {
          await readJson(`tempo/api/search?${parameters}`, found, signal);
          return "";
        } catch (error) {
          return error instanceof ApiError && error.code === "API_REFUSED" ? error.message : "";
        }
      },
      staleTime: 60_000,
    })
    .then((problem) => problem || undefined);
}

/** A found trace as a row of the list. Without a root the service with the most spans is shown. */
function summaryOf(trace: FoundTrace, columns: readonly string[]): TraceSummary {
  const services = Object.entries(trace.serviceStats ?? {})
    .map(([name, stats]) => ({
      name,
      spans: stats.spanCount ?? 0,
      errors: stats.errorCount ?? 0,
    }))
    .sort((a, b) => b.spans - a.spans || (a.name < b.name ? -1 : 1));
  const root = trace.rootServiceName ?? "";
  const rootFound = root !== "" && root !== noRoot;
  return {
    traceId: trace.traceID,
    startUs: unixMicros(trace.startTimeUnixNano),
    durationUs: exactDuration(trace) ?? (trace.durationMs ?? 0) * 1_000,
    rootService: rootFound ? root : (services[0]?.name ?? ""),
    rootOperation: trace.rootTraceName ?? "",
    rootFound,
    spans: services.reduce((sum, { spans }) => sum + spans, 0),
    errors: services.reduce((sum, { errors }) => sum + errors, 0),
    services,
    ...(columns.length === 0 ? {} : { values: valuesOf(trace, columns) }),
  };
}

/** Values of the extra columns, without repeats, by column. */
function valuesOf({ spanSet }: FoundTrace, columns: readonly string[]): Record<string, readonly string[]> {
  const attributes = (spanSet?.spans ?? []).flatMap((span) => span.attributes ?? []);
  return Object.fromEntries(
    columns.map((column) => {
      const values = attributes.filter(({ key }) => key === column).map(({ value }) => textOf(value));
      return [column, [...new Set(values)].filter((text) => text !== "")];
    }),
  );
}

/** A value of OTLP JSON as text: `{"intValue": "5"}` gives `5`; the values of a list are joined by commas. */
function textOf(value: unknown): string {
  const [inner] = Object.values(value as object);
  if (typeof inner !== "object" || inner === null) {
    return inner === undefined || inner === null ? "" : String(inner);
  }
  return "values" in inner && Array.isArray(inner.values)
    ? inner.values.map(textOf).join(", ")
    : JSON.stringify(inner);
}

/** The duration in microseconds from the added attribute; undefined when the answer lacks the attribute. */
function exactDuration({ spanSet }: FoundTrace): number | undefined {
  const attributes = spanSet?.spans[0]?.attributes ?? [];
  const text = attributes.find(({ key }) => key === "traceDuration")?.value.stringValue;
  return text === undefined ? undefined : parseDuration(text);
}
