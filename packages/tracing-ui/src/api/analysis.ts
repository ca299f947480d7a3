import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1";

/** The answer of `GET /capabilities`: which endpoints the server's store can serve. */
const capabilities = z.object({
  endpoints: z.object({
    /** Spans counted by start and duration. */
    heatmap: z.boolean(),
    /** Attributes that set a selection of spans apart. */
    compare: z.boolean(),
    /** Spans as they arrive. */
    tail: z.boolean(),
    /** Searches in TraceQL, and with them groups and exceptions. */
    traceql: z.boolean(),
  }),
});

/** The server's abilities beyond plain searches. */
export type Capabilities = z.infer<typeof capabilities>["endpoints"];

/** For a server that knows no such request: the pages then offer plain searches only. */
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
  /** Name of the service; all services without it. */
  service?: string | undefined;
  /** Name of the operation; all operations without it. */
  operation?: string | undefined;
  /** Attributes that must all have these values, compared as text. */
  tags?: Readonly<Record<string, string>> | undefined;
  /** Shortest duration in Go's form: `1.5s`. */
  minDuration?: string | undefined;
  /** Longest duration in Go's form. */
  maxDuration?: string | undefined;
}

/** Microseconds: back from the moment of asking, or between two times since 1970. */
export type AskedRange = { lookbackUs: number } | { startUs: number; endUs: number };

/**
 * The times of a range. Example: a look back of 60 000 000 µs at 12:00 gives 11:59 to 12:00.
 * @param nowMs the moment that a look back counts from, milliseconds since 1970
 */
export function timesOf(range: AskedRange, nowMs: number): { startUs: number; endUs: number } {
  if (!("lookbackUs" in range)) {
    return range;
  }
  const endUs = Math.round(nowMs * 1_000);
  return { startUs: endUs - range.lookbackUs, endUs };
}

/**
 * Parameters of the set conditions. Tags become one JSON text:
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

/** `[column, row, spans, errors]`; empty cells are left out. */
const cell = z.tuple([z.int(), z.int(), z.int(), z.int()]);
/** The answer of `GET /heatmap`. */
const heatMap = z.object({
  /** Start of the first column, microseconds since 1970. */
  start: z.number(),
  /** End of the last column, microseconds since 1970. */
  end: z.number(),
  /** Number of columns; a cell names its column from 0. */
  columns: z.int(),
  /** Length of a column in microseconds. */
  columnWidth: z.number(),
  /** Spans of all cells. */
  spans: z.int(),
  /** Failed spans of all cells. */
  errors: z.int(),
  /** Cells with spans in them. */
  cells: z.array(cell),
});

/** Spans by start and duration; a cell is `[column, row, spans, errors]`, row n is 2^n to 2^(n+1)-1 ns. */
export type HeatMap = z.infer<typeof heatMap>;

/**
 * The heat map of the spans that meet conditions, or a TraceQL query. It is asked once a search: the
 * picture stays while the user selects in it.
 * @param asked   a TraceQL query or conditions
 * @param columns columns that fit on the screen
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
  /** Spans of the selection. */
  selectedSpans: z.int(),
  /** Spans of the background that are not selected. */
  otherSpans: z.int(),
  /** Values of attributes with their counts on both sides, at most 100. */
  differences: z.array(
    z.object({
      /** Where the attribute stands: `span`, `resource` … */
      place: z.string(),
      key: z.string(),
      value: z.string(),
      /** Selected spans with the value. */
      selected: z.int(),
      /** Other spans with the value. */
      others: z.int(),
    }),
  ),
});

/** Attributes by how much more, or less, frequent they are in a selection. */
export type Comparison = z.infer<typeof comparison>;

/** Conditions with the times they hold in. */
export type TimedConditions = SpanConditions & { start: number; end: number };

/**
 * Attributes that distinguish the spans of a selection from the others.
 * @param selection  conditions of the selected spans
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
  /** Groups on all pages. */
  total: z.number(),
  /**
   * Whether the attribute has more values than the server counts; then only the most frequent ones are
   * groups.
   */
  truncated: z.boolean(),
  groups: z.array(
    z.object({
      /** The value as text; null for spans without the attribute. */
      value: z.nullable(z.string()),
      /** Type of the value; the same text may come as a number and as a text. */
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
  /** TraceQL of the spans that count. */
  q: string;
  /** The attribute, as TraceQL writes it. */
  by: string;
  /** The time that the spans start in. */
  range: AskedRange;
  /** Part of the value; "" for all. */
  contains: string;
  /** Order of the groups; the server sorts before it cuts the page. */
  order: string;
  /** The page, from 1. */
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

/** The answer of `GET /attributes`. */
const names = z.object({ attributes: z.array(z.object({ scope: z.string(), name: z.string() })) });

/** Names of attributes of recent spans, for completion. */
export const attributeNamesQuery = queryOptions({
  queryKey: ["attributes"],
  queryFn: async ({ signal }) => (await readJson(`${base}/attributes?limit=2000`, names, signal)).attributes,
  staleTime: 60_000,
});

/** The answer of `GET /attributes/<scope>/<name>/values`. A count is absent where the server does not count. */
const values = z.object({
  values: z.array(z.object({ type: z.string(), value: z.string(), count: z.optional(z.int()) })),
});

/** A value of an attribute; keywords are written without quotes. */
export type AttributeValue = z.infer<typeof values>["values"][number];

/**
 * Frequent values of an attribute that begin with the typed text. At most 50.
 * @param scope   `span`, `resource`, `intrinsic` …; the server knows which scopes the attribute has
 * @param prefix  the typed text; "" for the most frequent values
 * @param service the service whose spans count; all services without it
 */
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
