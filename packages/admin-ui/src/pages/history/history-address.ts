import * as z from "zod/mini";
import { pageText } from "../page-text.ts";

const versionText = z.string().check(z.regex(/^[1-9]\d{0,14}$/));

/** State of the history page in its address. */
export const historyAddress = z.object({
  /** The version that is looked at; absent: the newest. */
  n: z.catch(z.optional(versionText), undefined),
  /** `rollback`: the changes of a rollback to the version; `json`: the whole config; absent: the version's changes. */
  view: z.catch(z.optional(z.enum(["rollback", "json"])), undefined),
  /** Part of author, request or time, or `#` and a number, of the versions that are listed. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Page of the list; absent: the page with `n`. */
  page: pageText,
});

export type HistoryAddress = z.infer<typeof historyAddress>;
