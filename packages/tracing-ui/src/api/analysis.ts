import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1";

const capabilities = z.object({
  endpoints: z.object({
    heatmap: z.boolean(),
    compare: z.boolean(),
    tail: z.boolean(),
    traceql: z.boolean(),
  }),
});

/** The server's abilities beyond plain searches. */
export type Capabilities = z.infer<typeof capabilities>["endpoints"];

const noCapabilities: Capabilities = { heatmap: false, compare: false, tail: false, traceql: false };

/**
 * The kinds of analysis that the server supports; none when it does not know the request, as the public
 * model's.
 */
export const capabilitiesQuery = queryOptions({
  queryKey: ["capabilities"],
  queryFn: async ({ signal }): Promise<Capabilities> => {
    try {
      return (await readJson(`${base}/capabilities`, capabilities, signal)).endpoints;
    } catch (error) {
      // Another query service, such as the model's, answers with its page or with 404.
      const unknown =
        error instanceof ApiError && /^API_(NOT_FOUND|SHAPE|REFUSED)$/.test(error.code) ? true : undefined;
      if (unknown === undefined) {
        throw error;
      }
      return noCapabilities;
    }
  },
  staleTime: 300_000,
});

/** Conditions for spans, as the analysis endpoints take them. Times in microseconds since 1970. */
export interface SpanConditions {
  service?: string | undefined;
  operation?: string | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
  /** Durations in Go's form. */
  minDuration?: string | undefined;
  maxDuration?: string | undefined;
}

/** Microseconds: back from the moment of asking, or between two times since 1970. */
export type AskedRange = { lookbackUs: number } | { startUs: number; endUs: number };

/** The times of a range. @param nowMs what a look back counts from, milliseconds since 1970 */
export function timesOf(range: AskedRange, nowMs: number): { startUs: number; endUs: number } {
  if (!("lookbackUs" in range)) {
    return range;
  }
  const endUs = Math.round(nowMs * 1_000);
  return { startUs: endUs - range.lookbackUs, endUs };
}

/** Parameters of conditions, without those that are not set. */
export function conditionParameters(conditions: SpanConditions): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(conditions)) {
    if (value === undefined || value === "") {
      continue;
    }
    if (typeof value === "string") {
      parameters.set(key, value);
    } else if (Object.keys(value).length > 0) {
      parameters.set(key, JSON.stringify(value));
    }
  }
  return parameters;
}

const cell = z.tuple([z.int(), z.int(), z.int(), z.int()]);
const heatMap = z.object({
  start: z.number(),
  end: z.number(),
  columns: z.int(),
  columnWidth: z.number(),
  spans: z.int(),
  errors: z.int(),
  cells: z.array(cell),
});

/** Spans by start and duration; a cell is `[column, row, spans, errors]`, row n is 2^n to 2^(n+1)-1 ns. */
export type HeatMap = z.infer<typeof heatMap>;

/** The heat map of the spans that meet conditions, or a TraceQL query. */
export function heatMapQuery(asked: { q: string } | SpanConditions, range: AskedRange, columns: number) {
  return queryOptions({
    queryKey: ["heatmap", asked, range, columns],
    queryFn: ({ signal }): Promise<HeatMap> => {
      const parameters = "q" in asked ? new URLSearchParams({ q: asked.q }) : conditionParameters(asked);
      const { startUs, endUs } = timesOf(range, Date.now());
      parameters.set("start", String(startUs));
      parameters.set("end", String(endUs));
      parameters.set("columns", String(columns));
      return readJson(`${base}/heatmap?${parameters}`, heatMap, signal);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const comparison = z.object({
  selectedSpans: z.int(),
  otherSpans: z.int(),
  differences: z.array(
    z.object({
      place: z.string(),
      key: z.string(),
      value: z.string(),
      selected: z.int(),
      others: z.int(),
    }),
  ),
});

/** Attributes by how much more, or less, frequent they are in a selection. */
export type Comparison = z.infer<typeof comparison>;

/** Conditions with the times they hold in. */
export type TimedConditions = SpanConditions & { start: number; end: number };

/** Attributes that distinguish the spans of a selection from the others. */
export function compareQuery(selection: TimedConditions, background: TimedConditions) {
  return queryOptions({
    queryKey: ["compare", selection, background],
    queryFn: ({ signal }): Promise<Comparison> =>
      readJson(`${base}/compare`, comparison, signal, JSON.stringify({ selection, background, limit: 100 })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const groups = z.object({
  total: z.number(),
  truncated: z.boolean(),
  groups: z.array(
    z.object({
      value: z.nullable(z.string()),
      type: z.string(),
      ...{ spans: z.number(), errors: z.number(), p50: z.number(), p95: z.number() },
    }),
  ),
});

/** A page of spans by the values of an attribute. */
export type SpanGroups = z.infer<typeof groups>;

/** Groups on a page. */
export const groupsPerPage = 50;

/** The question for a page of groups; `page` from 1. */
export interface GroupsAsked {
  q: string;
  by: string;
  range: AskedRange;
  contains: string;
  order: string;
  page: number;
}

/** Spans by the values of an attribute: counted, filtered, ranked and paged by the server. */
export function groupsQuery(asked: GroupsAsked) {
  return queryOptions({
    queryKey: ["groups", asked],
    queryFn: ({ signal }): Promise<SpanGroups> => {
      const { q, by, range, contains, order, page } = asked;
      const { startUs, endUs } = timesOf(range, Date.now());
      const parameters = new URLSearchParams({
        ...{ q, by, order, start: String(startUs), end: String(endUs) },
        ...{ limit: String(groupsPerPage), offset: String((page - 1) * groupsPerPage) },
        ...(contains === "" ? {} : { contains }),
      });
      return readJson(`${base}/groups?${parameters}`, groups, signal);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const names = z.object({ attributes: z.array(z.object({ scope: z.string(), name: z.string() })) });

/** Names of attributes of recent spans, for completion. */
export const attributeNamesQuery = queryOptions({
  queryKey: ["attributes"],
  queryFn: async ({ signal }) => (await readJson(`${base}/attributes?limit=2000`, names, signal)).attributes,
  staleTime: 60_000,
});

const values = z.object({
  values: z.array(z.object({ type: z.string(), value: z.string(), count: z.optional(z.int()) })),
});

/** A value of an attribute; keywords are written without quotes. */
export type AttributeValue = z.infer<typeof values>["values"][number];

/** Frequent values of an attribute, those that begin with what is typed. @param service whose spans count; all without it */
export function attributeValuesQuery(scope: string, name: string, prefix: string, service?: string) {
  return queryOptions({
    queryKey: ["values", scope, name, prefix, service],
    queryFn: async ({ signal }): Promise<readonly AttributeValue[]> => {
      const path = `${base}/attributes/${scope}/${encodeURIComponent(name)}/values`;
      const parameters = new URLSearchParams({ limit: "50" });
      if (prefix !== "") {
        parameters.set("prefix", prefix);
      }
      if (service !== undefined) {
        parameters.set("service", service);
      }
      return (await readJson(`${path}?${parameters}`, values, signal)).values;
    },
    staleTime: 60_000,
  });
}
