import * as z from "zod/mini";
import { pageText } from "../page-text.ts";

const versionText = z.string().check(z.regex(/^[1-9]\d{0,14}$/));

/** State of the history page in its URL. */
export const historyAddress = z.object({
  /** The selected version; absent for the newest. */
  n: z.catch(z.optional(versionText), undefined),
  /** `rollback`: the changes of a rollback to the version; `json`: the whole config; absent: the version's changes. */
  view: z.catch(z.optional(z.enum(["rollback", "json"])), undefined),
  /** Filter of the list: part of the author, request or time, or `#` and a number. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Page of the list; absent for the page that contains `n`. */
  page: pageText,
});

export type HistoryAddress = z.infer<typeof historyAddress>;
