import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1";

/** The answer of `GET /capabilities`: which endpoints the server's store can serve. */
const capabilities = z.object({
  endpoints: z.object({
    /** True when spans can be counted by start and duration. */
    heatmap: z.boolean(),
    /** True when attributes of two selections can be compared. */
    compare: z.boolean(),
    /** True when spans can be streamed as they arrive. */
    tail: z.boolean(),
    /** True when the store supports TraceQL. Groups and exceptions need it too. */
    traceql: z.boolean(),
  }),
});

/** The server's abilities beyond plain searches. */
export type Capabilities = z.infer<typeof capabilities>["endpoints"];

/** Assumed for a server without this endpoint: the pages then offer only plain searches. */
const noCapabilities: Capabilities = { heatmap: false, compare: false, tail: false, traceql: false };

/**
 * The kinds of analysis that the server supports; none when it lacks this endpoint, as Jaeger's server does.
 */
export const capabilitiesQuery = queryOptions({
  queryKey: ["capabilities"],
  queryFn: async ({ signal }): Promise<Capabilities> => {
    try {
      return (await readJson(`${base}/capabilities`, capabilities, signal)).endpoints;
    } catch (error) {
      // Another query service, such as Jaeger's, answers with its HTML page or with 404.
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

/** Conditions on spans for the analysis endpoints. */
export interface SpanConditions {
  /** Name of the service; absent for all services. */
  service?: string | undefined;
  /** Name of the operation; absent for all operations. */
  operation?: string | undefined;
  /** Attributes that must all have these values, compared as text. */
  tags?: Readonly<Record<string, string>> | undefined;
  /** Minimum duration in Go's form: `1.5s`. */
  minDuration?: string | undefined;
  /** Maximum duration in Go's form. */
  maxDuration?: string | undefined;
}

/**
 * A time range in microseconds: relative to the time of the request, or absolute since 1970. A relative range ends
 * `agoUs` before the request; by default it ends at the request.
 */
export type AskedRange = { lookbackUs: number; agoUs?: number } | { startUs: number; endUs: number };

/**
 * The start and end of a range. Example: a lookback of 60 000 000 µs at 12:00 gives 11:59 to 12:00.
 * @param nowMs time of the request, in milliseconds since 1970
 */
export function timesOf(range: AskedRange, nowMs: number): { startUs: number; endUs: number } {
  if (!("lookbackUs" in range)) {
    return range;
  }
  const endUs = Math.round(nowMs * 1_000) - (range.agoUs ?? 0);
  return { startUs: endUs - range.lookbackUs, endUs };
}

/**
 * URL parameters of the given conditions. Tags become one JSON text:
 * `tags={"http.method":"GET"}`.
 */
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

/** `[column, row, spans, errors]`; empty cells are omitted. */
const cell = z.tuple([z.int(), z.int(), z.int(), z.int()]);
/** The answer of `GET /heatmap`. */
const heatMap = z.object({
  /** Start of the first column, microseconds since 1970. */
  start: z.number(),
  /** End of the last column, microseconds since 1970. */
  end: z.number(),
  /** Number of columns; columns are numbered from 0. */
  columns: z.int(),
  /** Width of a column in microseconds. */
  columnWidth: z.number(),
  /** Number of spans in all cells. */
  spans: z.int(),
  /** Number of failed spans in all cells. */
  errors: z.int(),
  /** Cells with at least one span. */
  cells: z.array(cell),
});

/** Spans by start and duration; a cell is `[column, row, spans, errors]`, row n is 2^n to 2^(n+1)-1 ns. */
export type HeatMap = z.infer<typeof heatMap>;

/**
 * The heat map of spans that match conditions, or a TraceQL query. It is requested once per search: the picture stays
 * while the user selects in it.
 * @param asked a TraceQL query or conditions
 * @param columns number of columns that fit on the screen
 */
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

/** The answer of `POST /compare`. */
const comparison = z.object({
  selectedSpans: z.int(),
  /** Number of background spans that are not selected. */
  otherSpans: z.int(),
  /** Values of attributes with their counts on both sides, at most 100. */
  differences: z.array(
    z.object({
      /** Scope of the attribute: `span`, `resource` … */
      place: z.string(),
      key: z.string(),
      value: z.string(),
      /** Number of selected spans with the value. */
      selected: z.int(),
      /** Number of other spans with the value. */
      others: z.int(),
    }),
  ),
});

/** Attributes sorted by how much more, or less, frequent they are in a selection. */
export type Comparison = z.infer<typeof comparison>;

/** Conditions with a time range, in microseconds since 1970. */
export type TimedConditions = SpanConditions & { start: number; end: number };

/**
 * Attributes that distinguish the spans of a selection from the others.
 * @param selection conditions of the selected spans
 * @param background conditions of the compared spans; the server excludes the selected ones
 */
export function compareQuery(selection: TimedConditions, background: TimedConditions) {
  return queryOptions({
    queryKey: ["compare", selection, background],
    queryFn: ({ signal }): Promise<Comparison> =>
      readJson(`${base}/compare`, comparison, signal, JSON.stringify({ selection, background, limit: 100 })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The answer of `GET /groups`. Durations are microseconds. */
const groups = z.object({
  /** Number of groups on all pages. */
  total: z.number(),
  /**
   * True when the attribute has more values than the server counts; then only the most frequent ones are groups.
   */
  truncated: z.boolean(),
  groups: z.array(
    z.object({
      /** The value as text; null for spans without the attribute. */
      value: z.nullable(z.string()),
      /** Type of the value; the same text may occur as a number and as a text. */
      type: z.string(),
      ...{ spans: z.number(), errors: z.number(), p50: z.number(), p95: z.number() },
    }),
  ),
});

/** A page of spans grouped by the values of an attribute. */
export type SpanGroups = z.infer<typeof groups>;

export const groupsPerPage = 50;

/** The requested page of groups. */
export interface GroupsAsked {
  /** TraceQL query that selects the counted spans. */
  q: string;
  /** The attribute in TraceQL syntax. */
  by: string;
  /** Time range in which the spans start. */
  range: AskedRange;
  /** Part of the value; "" for all. */
  contains: string;
  /** Sort order of the groups; the server sorts before it selects the page. */
  order: string;
  /** Page number, from 1. */
  page: number;
}

/** Spans grouped by the values of an attribute. The server counts, filters, sorts and pages. */
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

/** The answer of `GET /attributes`. */
const names = z.object({ attributes: z.array(z.object({ scope: z.string(), name: z.string() })) });

/**
 * Names of attributes, by scope, that spans of a time range have.
 * @param range undefined: the last hour
 */
export function attributeNamesQuery(range?: AskedRange) {
  return queryOptions({
    queryKey: ["attributes", range],
    queryFn: async ({ signal }) => {
      const parameters = new URLSearchParams({ limit: "2000", ...timeParameters(range) });
      return (await readJson(`${base}/attributes?${parameters}`, names, signal)).attributes;
    },
    staleTime: 60_000,
  });
}

/** The fields `start` and `end` of a range; none for an undefined one. */
function timeParameters(range: AskedRange | undefined): Record<string, string> {
  if (range === undefined) {
    return {};
  }
  const { startUs, endUs } = timesOf(range, Date.now());
  return { start: String(startUs), end: String(endUs) };
}

/** The answer of `GET /attributes/<scope>/<name>/values`. A count is absent when the server does not count. */
const values = z.object({
  values: z.array(z.object({ type: z.string(), value: z.string(), count: z.optional(z.int()) })),
});

/** A value of an attribute with its TraceQL type. TraceQL writes values of the type `keyword` without quotes. */
export type AttributeValue = z.infer<typeof values>["values"][number];

/**
 * The most frequent values of an attribute that begin with the typed text. At most 50.
 * @param scope `span`, `resource`, `intrinsic` …
 * @param prefix typed text; "" for the most frequent values
 * @param of selects the counted spans: their service (default: all services) and their time range (default: the last
 * hour)
 */
export function attributeValuesQuery(
  scope: string,
  name: string,
  prefix: string,
  of: { service?: string | undefined; range?: AskedRange | undefined } = {},
) {
  const { service, range } = of;
  return queryOptions({
    queryKey: ["values", scope, name, prefix, service, range],
    queryFn: async ({ signal }): Promise<readonly AttributeValue[]> => {
      const path = `${base}/attributes/${scope}/${encodeURIComponent(name)}/values`;
      const parameters = new URLSearchParams({ limit: "50", ...timeParameters(range) });
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
