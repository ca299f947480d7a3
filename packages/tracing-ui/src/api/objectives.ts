import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { type ObjectiveState, type objectiveOrders, objectiveStates } from "./objective-states.ts";
import { readJson } from "./read-json.ts";

/** An objective in an answer. `target` is in per cent, `windowHours` the length of the window. */
const objective = z.object({
  ...{ name: z.string(), description: z.string(), service: z.string(), operations: z.array(z.string()) },
  ...{ kinds: z.array(z.string()), condition: z.string(), target: z.number(), windowHours: z.number() },
  /** Longest duration of a good span in milliseconds; absent: only errors are bad. */
  latencyMs: z.optional(z.number()),
  /** The latency limit that the store counts with. It differs from `latencyMs` by at most 4.5 %. */
  countedLatencyMs: z.optional(z.number()),
  /** The worst of the states that apply now. */
  state: z.enum(objectiveStates),
  /** Error of the last read; absent after a success. */
  error: z.optional(z.string()),
  ...{ total: z.number(), bad: z.number(), budgetLeft: z.nullable(z.number()) },
  /** Speed of budget consumption by window; 1 uses the budget up exactly at the window's end. Null without spans. */
  burnRates: z.array(
    z.object({ window: z.string(), total: z.number(), bad: z.number(), rate: z.nullable(z.number()) }),
  ),
  /** Firing alerts, with their start times. */
  alerts: z.array(z.object({ severity: z.string(), since: z.number() })),
  /** Burn rates such as `14.4` that no fraction of bad spans can reach with this target. */
  neverFires: z.array(z.string()),
  /** Start of the counted time; null before the first count. */
  countedSince: z.nullable(z.number()),
  /** End of the counted time; null before the first count. */
  countedUntil: z.nullable(z.number()),
});

/** The answer of `GET /objectives`. `isOn` is false without an objectives file. */
const list = z.object({
  ...{ isOn: z.boolean(), total: z.number(), matched: z.number() },
  /** Number of objectives by state, before the filter. */
  states: z.record(z.string(), z.number()),
  /** Error in the file; the previous version stays in use. */
  fileError: z.optional(z.string()),
  /** Receivers of alerts, with the number of waiting alerts for each. */
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
/** One objective, and `[start, total, bad, budget left]` for parts of the window. */
export type ObjectiveCurve = z.infer<typeof curve>;

export const objectivesPerPage = 50;

/** The requested page of objectives. */
export interface ObjectivesAsked {
  /** Part of a name or a service; "" for all. */
  contains: string;
  /** Only objectives in this state; undefined for all. */
  state: ObjectiveState | undefined;
  /** Sort order; the server sorts before it selects the page. */
  order: (typeof objectiveOrders)[number];
  /** Page number, from 1. */
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
    // The server counts once a minute.
    staleTime: 15_000,
  });
}

/** One objective and its budget over time. @throws ApiError with status 404 for an unknown name */
export function objectiveCurveQuery(name: string) {
  return queryOptions({
    queryKey: ["objective", name],
    queryFn: ({ signal }): Promise<ObjectiveCurve> =>
      readJson(`api/objectives/curve?${new URLSearchParams({ name })}`, curve, signal),
    staleTime: 15_000,
  });
}
