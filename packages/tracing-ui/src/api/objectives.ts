import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { type ObjectiveState, type objectiveOrders, objectiveStates } from "./objective-states.ts";
import { readJson } from "./read-json.ts";

const objective = z.object({
  ...{ name: z.string(), description: z.string(), service: z.string(), operations: z.array(z.string()) },
  ...{ kinds: z.array(z.string()), condition: z.string(), target: z.number(), windowHours: z.number() },
  latencyMs: z.optional(z.number()),
  countedLatencyMs: z.optional(z.number()),
  state: z.enum(objectiveStates),
  error: z.optional(z.string()),
  ...{ total: z.number(), bad: z.number(), budgetLeft: z.nullable(z.number()) },
  burnRates: z.array(
    z.object({ window: z.string(), total: z.number(), bad: z.number(), rate: z.nullable(z.number()) }),
  ),
  alerts: z.array(z.object({ severity: z.string(), since: z.number() })),
  neverFires: z.array(z.string()),
  countedSince: z.nullable(z.number()),
  countedUntil: z.nullable(z.number()),
});

const list = z.object({
  ...{ isOn: z.boolean(), total: z.number(), matched: z.number() },
  states: z.record(z.string(), z.number()),
  fileError: z.optional(z.string()),
  targets: z.array(
    z.object({ host: z.string(), kind: z.string(), waiting: z.number(), error: z.optional(z.string()) }),
  ),
  objectives: z.array(objective),
});

const curve = z.object({
  objective,
  curve: z.array(z.tuple([z.number(), z.number(), z.number(), z.nullable(z.number())])),
});

/** An objective with its error budget and burn rates. Times are milliseconds since 1970. */
export type Objective = z.infer<typeof objective>;
/** A page of objectives. */
export type ObjectiveList = z.infer<typeof list>;
/** One objective, and `[start, total, bad, budget left]` of pieces of its window. */
export type ObjectiveCurve = z.infer<typeof curve>;

/** Objectives on a page. */
export const objectivesPerPage = 50;

/** The question for a page of objectives; `page` from 1. */
export interface ObjectivesAsked {
  contains: string;
  state: ObjectiveState | undefined;
  order: (typeof objectiveOrders)[number];
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
