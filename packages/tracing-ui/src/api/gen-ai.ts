import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { GenAiSubject } from "./gen-ai-subjects.ts";
import { readJson } from "./read-json.ts";

const orNone = z.nullable(z.number());
/** Times are microseconds. `cost` is null when no model has a price. */
const figures = {
  ...{ calls: z.number(), errors: z.number(), inputTokens: z.number(), outputTokens: z.number() },
  ...{ cost: orNone, unpricedTokens: z.number(), p50: z.number(), p95: z.number() },
};
const all = { ...figures, firstTokenP50: orNone, firstTokenP95: orNone };

/** The answer of `GET /gen-ai`. Step n of the curve begins at `start + n * step`, in microseconds. */
const answer = z.object({
  ...{ currency: z.string(), total: z.number(), truncated: z.boolean(), query: z.string() },
  sum: z.object(all),
  unpricedModels: z.array(z.string()),
  groups: z.array(z.object({ value: z.nullable(z.string()), ...all })),
  ...{ start: z.number(), step: z.number(), steps: z.number() },
  curve: z.array(z.object({ step: z.number(), ...figures })),
});

/** Figures of calls of models. */
export type GenAiFigures = z.infer<typeof answer>;

export const groupsPerPage = 50;

/** The requested figures. */
export interface GenAiAsked {
  by: GenAiSubject;
  /** Values that the calls must have; undefined for any. */
  where: Partial<Record<GenAiSubject, string | undefined>>;
  /** Part of the groups' names; "" for all. */
  contains: string;
  order: string;
  /** Page number, from 1. */
  page: number;
  /** Milliseconds of the time range, which ends now. */
  lookbackMs: number;
}

/** Figures that the server counts, sorts and pages. @throws ApiError with status 501 when the store has no TraceQL */
export function genAiQuery(asked: GenAiAsked) {
  return queryOptions({
    queryKey: ["gen-ai", asked],
    queryFn: ({ signal }): Promise<GenAiFigures> => {
      const { by, where, contains, order, page, lookbackMs } = asked;
      const end = Date.now() * 1_000;
      const parameters = new URLSearchParams({
        ...{ by, order, start: String(end - lookbackMs * 1_000), end: String(end) },
        ...{ limit: String(groupsPerPage), offset: String((page - 1) * groupsPerPage) },
      });
      for (const [name, value] of Object.entries({ contains, ...where })) {
        if (value) {
          parameters.set(name, value);
        }
      }
      return readJson(`api/analysis/v1/gen-ai?${parameters}`, answer, signal);
    },
    staleTime: 30_000,
  });
}
