import * as z from "zod/mini";

const versionText = z.string().check(z.regex(/^[1-9]\d{0,14}$/));

/** What the history keeps in its address. */
export const historyAddress = z.object({
  /** The version that is looked at; absent: the newest. */
  n: z.catch(z.optional(versionText), undefined),
  /** `rollback`: what going back to it would change. Else what it changed itself; `json`: the whole of it. */
  view: z.catch(z.optional(z.enum(["rollback", "json"])), undefined),
});

export type HistoryAddress = z.infer<typeof historyAddress>;
