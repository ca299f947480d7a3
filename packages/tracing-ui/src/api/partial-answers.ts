import { type Query, type QueryOptions, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import * as z from "zod/mini";

/** Reason why spans are missing from an answer. */
export interface PartialReason {
  /** Kind of the missing part: a shard, or a part of one; "" when the server did not say. */
  kind: string;
  /** Name of the shard, or of the part and its table. */
  name: string;
  /** The reason as a sentence for display. */
  text: string;
  /** Start of the time range of the missing spans, milliseconds since 1970; absent when unknown. */
  startUnixMs?: number | undefined;
  /** End of this time range, milliseconds since 1970; absent when unknown. */
  endUnixMs?: number | undefined;
}

/** The reasons in the header `X-Tracing-Partial` or in the body. */
const reasonsSchema = z.array(
  z.looseObject({
    kind: z.string(),
    name: z.string(),
    text: z.string(),
    startUnixMs: z.optional(z.number()),
    endUnixMs: z.optional(z.number()),
  }),
);

/** A body that says itself that it is partial. */
const partialBody = z.looseObject({ partial: z.literal(true), warnings: reasonsSchema });

/** Reasons for running requests, by the request's signal. */
const bySignal = new WeakMap<AbortSignal, PartialReason[]>();

/** Reasons for the last answer of a query, by query. */
const byQuery = new WeakMap<object, readonly PartialReason[]>();

/**
 * Records the missing parts that an answer reports. The header has what was known before the data, the body what was
 * found while sending; the body takes precedence.
 * @param signal signal of the request, which identifies the query later
 */
export function notePartial(signal: AbortSignal, response: Response, answer: unknown): void {
  const header = response.headers.get("x-tracing-partial");
  const inBody = partialBody.safeParse(answer);
  const reasons = inBody.success ? inBody.data.warnings : header === null ? [] : reasonsOf(header);
  if (reasons.length > 0) {
    bySignal.set(signal, [...(bySignal.get(signal) ?? []), ...reasons]);
  }
}

/** Parses the header; a header that is not JSON becomes a single reason. */
function reasonsOf(header: string): PartialReason[] {
  try {
    const reasons = reasonsSchema.safeParse(JSON.parse(header));
    if (reasons.success) {
      return reasons.data;
    }
  } catch {
    // Handled below: the header's existence already says that something is missing.
  }
  return [{ kind: "", name: "", text: header }];
}

/** Default behavior of all queries: stores the reasons that `notePartial` recorded for a request under its query. */
export const partialBehavior: NonNullable<QueryOptions["behavior"]> = {
  onFetch(context, query) {
    const { fetchFn, signal } = context;
    context.fetchFn = async () => {
      try {
        return await fetchFn();
      } finally {
        byQuery.set(query, bySignal.get(signal) ?? []);
      }
    };
  },
};

/**
 * The distinct reasons why the shown answers are partial. Observes the query cache while the banner is shown. The
 * reasons are compared as text, so that the banner renders again only when they change.
 */
export function usePartialReasons(): readonly PartialReason[] {
  const cache = useQueryClient().getQueryCache();
  const text = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => JSON.stringify(reasonsShown(cache.getAll())),
  );
  return JSON.parse(text) as PartialReason[];
}

/**
 * The reasons of the queries on the screen, one for each kind and name.
 * @param queries queries of the cache; inactive ones are skipped
 */
export function reasonsShown(queries: readonly Pick<Query, "isActive">[]): PartialReason[] {
  const shown = new Map<string, PartialReason>();
  for (const query of queries) {
    if (!query.isActive()) {
      continue;
    }
    for (const reason of byQuery.get(query) ?? []) {
      shown.set(`${reason.kind} ${reason.name}`, reason);
    }
  }
  return [...shown.values()];
}
