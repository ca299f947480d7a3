// Converts addresses of Jaeger's UI, which people keep in tickets, runbooks and dashboards, into addresses of this app.

import { filterWord } from "../trace/filter-word.ts";

/** Fields of an address: texts, or values that an earlier check has parsed. */
type Fields = Readonly<Record<string, unknown>>;

/** Fields that Jaeger's UI repeats in an address; this app joins the values with commas. */
const repeated = ["traceID", "cohort", "tag"];

/** Microseconds of each unit of a `lookback`. */
const unitsUs: Readonly<Record<string, number>> = {
  ms: 1e3,
  s: 1e6,
  m: 60e6,
  h: 3_600e6,
  d: 86_400e6,
  w: 7 * 86_400e6,
};

/**
 * Parses the search part of an address. The last value of a repeated field counts. The fields of `repeated` are joined:
 * `traceID=a&traceID=b` gives `a,b`.
 */
export function fieldsOf(text: string): Record<string, string> {
  const parameters = new URLSearchParams(text);
  const fields = Object.fromEntries(parameters);
  for (const name of repeated) {
    if (name in fields) {
      fields[name] = parameters.getAll(name).join(",");
    }
  }
  // A search names spans with their traces. The page of a trace names one span.
  if (fields.span?.includes("@")) {
    fields.span = parameters.getAll("span").join(",");
  }
  return fields;
}

/**
 * Converts the fields of a search. Jaeger's UI writes `lookback` and also the computed `start` and `end`: these two are
 * the times that the author of the link saw. A `lookback` that this app does not offer is counted back from now.
 * @param knows returns true when the app offers a `lookback`
 */
export function searchFields(fields: Fields, knows: (lookback: string) => boolean, nowUs: number): Fields {
  const { lookback, start, end, operation, tag, span, ...others } = fields;
  const asked: Record<string, unknown> = { ...others };
  const traces = tracesOf(span);
  if (traces.length > 0) {
    const named = typeof others.traceID === "string" ? others.traceID.split(",") : [];
    asked.traceID = [...new Set([...named, ...traces])].join(",");
  }
  if (operation !== undefined && operation !== "all") {
    asked.operation = operation;
  }
  if (typeof tag === "string" && others.tags === undefined) {
    asked.tags = tagsOf(tag);
  }
  if (isWhole(start) && isWhole(end)) {
    return { ...asked, lookback: "custom", start, end };
  }
  if (typeof lookback !== "string") {
    return asked;
  }
  if (knows(lookback)) {
    return { ...asked, lookback };
  }
  const us = lengthUs(lookback);
  if (us === undefined) {
    return asked;
  }
  return {
    ...asked,
    lookback: "custom",
    start: String(Math.round(nowUs - us)),
    end: String(Math.round(nowUs)),
  };
}

/** Trace ids in a `span` field, which is a comma-separated list of `<span id> <span id>@<trace id>`. */
function tracesOf(span: unknown): string[] {
  return typeof span === "string"
    ? [...span.matchAll(/@([0-9a-f]{1,32})(?=,|$)/gi)].map(([, id = ""]) => id)
    : [];
}

/**
 * Converts the fields of a trace page. `uiFind` is the text that Jaeger's UI searches for: matching spans are
 * highlighted, the others stay visible. `uiFind` becomes the filter `q` with `others: "dim"`. A span needs to match
 * only one of its words, as in Jaeger's UI. There, a word with a minus excludes an attribute from the search; this
 * app ignores such words.
 */
export function traceFields({ uiFind, ...fields }: Fields): Fields {
  if (typeof uiFind !== "string" || uiFind === "" || fields.q !== undefined) {
    return fields;
  }
  return { ...fields, q: wordsOf(uiFind).join(" OR ") || uiFind, others: "dim" };
}

/** The words of a `uiFind` as words of the filter: quoted where the filter would take them for something else. */
function wordsOf(uiFind: string): string[] {
  return [...uiFind.matchAll(/"([^"]*)"|[^\s"]+/g)]
    .map(([plain, quoted]) => quoted ?? plain)
    .filter((word) => word !== "" && !word.startsWith("-"))
    .map(filterWord);
}

/**
 * The ids of a comparison `A...B`, which Jaeger's UI writes in the address of a trace. Either id may be missing.
 * Undefined for a plain trace id.
 */
export function comparedIds(traceId: string): { a?: string; b?: string } | undefined {
  const ids = /^([0-9a-f]{1,32})?\.\.\.([0-9a-f]{1,32})?$/i.exec(traceId);
  if (ids === null) {
    return undefined;
  }
  const [, a, b] = ids;
  return { ...(a !== undefined && { a }), ...(b !== undefined && { b }) };
}

/**
 * Converts tags as Jaeger's form writes them to the JSON object of this app's form: `http.method:GET,error` gives
 * `{"http.method":"GET","error":"true"}`.
 */
function tagsOf(pairs: string): string {
  const entries = pairs.split(",").map((pair) => {
    const colon = pair.indexOf(":");
    return colon === -1 ? [pair, "true"] : [pair.slice(0, colon), pair.slice(colon + 1)];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** Parses a length of time to microseconds: `2h` gives 7 200 000 000; undefined for other texts. */
export function lengthUs(lookback: string): number | undefined {
  const parts = /^(\d{1,6})(ms|s|m|h|d|w)$/.exec(lookback);
  return parts === null ? undefined : Number(parts[1]) * (unitsUs[parts[2] as string] as number);
}

/** True when a field holds a whole number, as fields with times do. */
function isWhole(value: unknown): boolean {
  return value !== undefined && /^\d{1,17}$/.test(String(value));
}
