import { type Query, type QueryOptions, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import * as z from "zod/mini";

/** Why spans are missing from an answer. */
export interface PartialReason {
  kind: string;
  /** Name of the shard, or of a part and its table. */
  name: string;
  text: string;
  /** When the missing spans start, milliseconds since 1970. */
  startUnixMs?: number | undefined;
  endUnixMs?: number | undefined;
}

const reasonsSchema = z.array(
  z.looseObject({
    kind: z.string(),
    name: z.string(),
    text: z.string(),
    startUnixMs: z.optional(z.number()),
    endUnixMs: z.optional(z.number()),
  }),
);

const partialBody = z.looseObject({ partial: z.literal(true), warnings: reasonsSchema });

/** Reasons for running requests, by the signal of each request. */
const bySignal = new WeakMap<AbortSignal, PartialReason[]>();

/** Reasons for the last answer of a query, by the query. */
const byQuery = new WeakMap<object, readonly PartialReason[]>();

/**
 * Notes what an answer says it lacks: in a header, or behind the data where it was found only while these were sent.
 * @param signal of the question
 */
export function notePartial(signal: AbortSignal, response: Response, answer: unknown): void {
  const header = response.headers.get("x-tracing-partial");
  const inBody = partialBody.safeParse(answer);
  const reasons = inBody.success ? inBody.data.warnings : header === null ? [] : reasonsOf(header);
  if (reasons.length > 0) {
    bySignal.set(signal, [...(bySignal.get(signal) ?? []), ...reasons]);
  }
}

function reasonsOf(header: string): PartialReason[] {
  try {
    const reasons = reasonsSchema.safeParse(JSON.parse(header));
    if (reasons.success) {
      return reasons.data;
    }
  } catch {
    // Said below: that something is missing is known all the same.
  }
  return [{ kind: "", name: "", text: header }];
}

/** For the client of all queries: ties what `notePartial` has noted to the query that is shown. */
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

/** The reasons why the shown answers are partial, without repeats. */
export function usePartialReasons(): readonly PartialReason[] {
  const cache = useQueryClient().getQueryCache();
  const text = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => JSON.stringify(reasonsShown(cache.getAll())),
  );
  return JSON.parse(text) as PartialReason[];
}

/** @param queries those that nobody looks at are left out */
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
