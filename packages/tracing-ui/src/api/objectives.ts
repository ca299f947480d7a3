import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { type ObjectiveState, type objectiveOrders, objectiveStates } from "./objective-states.ts";
import { readJson } from "./read-json.ts";

/** An objective in an answer. `target` is per cent, `windowHours` the length of its window. */
const objective = z.object({
  ...{ name: z.string(), description: z.string(), service: z.string(), operations: z.array(z.string()) },
  ...{ kinds: z.array(z.string()), condition: z.string(), target: z.number(), windowHours: z.number() },
  /** Good spans take less, in milliseconds; absent: only errors are bad. */
  latencyMs: z.optional(z.number()),
  /** The bound that the store counts with, at most 4.5 % from `latencyMs`. */
  countedLatencyMs: z.optional(z.number()),
  /** The worst applicable state. */
  state: z.enum(objectiveStates),
  /** Why the last read failed; absent when it did not. */
  error: z.optional(z.string()),
  ...{ total: z.number(), bad: z.number(), budgetLeft: z.nullable(z.number()) },
  /** How fast the budget is used, by window; 1 uses it up exactly at the window's end. Null without spans. */
  burnRates: z.array(
    z.object({ window: z.string(), total: z.number(), bad: z.number(), rate: z.nullable(z.number()) }),
  ),
  /** Alerts that fire now, and since when. */
  alerts: z.array(z.object({ severity: z.string(), since: z.number() })),
  /** Burn rates that no share of bad spans can reach with this target, such as `14.4`. */
  neverFires: z.array(z.string()),
  /** Start of the counted time; null before the first count. */
  countedSince: z.nullable(z.number()),
  /** End of the counted time; null before the first count. */
  countedUntil: z.nullable(z.number()),
});

/** The answer of `GET /objectives`. `isOn` is false without a file of objectives. */
const list = z.object({
  ...{ isOn: z.boolean(), total: z.number(), matched: z.number() },
  /** Objectives by state, before the filter. */
  states: z.record(z.string(), z.number()),
  /** Mistake in the file; the one before stays in use. */
  fileError: z.optional(z.string()),
  /** Receivers of alerts, with how many alerts wait for each. */
  targets: z.array(
    z.object({ host: z.string(), kind: z.string(), waiting: z.number(), error: z.optional(z.string()) }),
  ),
  objectives: z.array(objective),
});

/** The answer of `GET /objectives/curve`. */
const curve = z.object({
  objective,
  curve: z.array(z.tuple([z.number(), z.number(), z.number(), z.nullable(z.number())])),
});

/** An objective with its error budget and burn rates. Times are milliseconds since 1970. */
export type Objective = z.infer<typeof objective>;
/** A page of objectives. */
export type ObjectiveList = z.infer<typeof list>;
/** One objective, and `[start, total, bad, budget left]` for pieces of the window. */
export type ObjectiveCurve = z.infer<typeof curve>;

/** Objectives on a page. */
export const objectivesPerPage = 50;

/** The question for a page of objectives; `page` from 1. */
export interface ObjectivesAsked {
  /** Part of a name or a service; "" for all. */
  contains: string;
  /** Only objectives in this state; undefined for all. */
  state: ObjectiveState | undefined;
  /** Order of the list; the server sorts before it cuts the page. */
  order: (typeof objectiveOrders)[number];
  /** The page, from 1. */
  page: number;
}

/** Objectives, filtered, sorted and paged by the server. */
export function objectivesQuery({ contains, state, order, page }: ObjectivesAsked) {
  return queryOptions({
    queryKey: ["objectives", contains, state, order, page],
    queryFn: ({ signal }): Promise<ObjectiveList> => {
      const parameters = new URLSearchParams({
        ...{ order, limit: String(objectivesPerPage), offset: String((page - 1) * objectivesPerPage) },
        ...(contains === "" ? {} : { contains }),
        ...(state === undefined ? {} : { state }),
      });
      return readJson(`api/objectives?${parameters}`, list, signal);
    },
    // They are counted once a minute.
    staleTime: 15_000,
  });
}

/** One objective and its budget over time. @throws ApiError with status 404 for a name that the file does not have */
export function objectiveCurveQuery(name: string) {
  return queryOptions({
    queryKey: ["objective", name],
    queryFn: ({ signal }): Promise<ObjectiveCurve> =>
      readJson(`api/objectives/curve?${new URLSearchParams({ name })}`, curve, signal),
    staleTime: 15_000,
  });
}
