import * as z from "zod/mini";
import { genAiSubjects } from "../../api/gen-ai-subjects.ts";
import { pageNumber } from "../../components/page-number.ts";
import { refreshField } from "../../components/refresh-select.tsx";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);

/** State of the page of models in its address. Unreadable parts fall back to their defaults. */
export const modelsAddress = z.object({
  /** Subject of each row. */
  by: z.catch(z.enum(genAiSubjects), "model"),
  /** Values that the counted calls have. */
  ...{
    model: text,
    "requested-model": text,
    provider: text,
    agent: text,
    user: text,
    conversation: text,
    service: text,
  },
  /** Length of the time range, which ends now. */
  lookback: z.catch(z.enum(lookbacks.map((entry) => entry.value)), "1h"),
  /** Column that orders the list, largest first; `value` from a to z. */
  sort: z.catch(z.enum(["value", "calls", "errors", "input", "output", "cost", "p50", "p95"]), "calls"),
  /** Filter: part of a name. */
  filter: text,
  page: pageNumber,
  refresh: refreshField,
});

/** State of the page of models in its address. */
export type ModelsAddress = z.infer<typeof modelsAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultModelsAddress: ModelsAddress = modelsAddress.parse({});
