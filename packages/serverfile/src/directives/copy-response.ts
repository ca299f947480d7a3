import { readFields, text } from "../values/block-fields.ts";
import type { Draft } from "../values/draft.ts";
import { statusValue } from "../values/status-value.ts";
import { handlerDirective } from "./directive.ts";

/** `copy_response [status]`, in `handle_response`: sends on what the upstream answered. */
export const copyResponse = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "copy_response" };
  const [status = "", ...more] = cursor.remainingArguments();
  if (more.length === 0 && /^[+]?\d+$/.test(status) && Number(status) > 0) {
    draft.status_code = statusValue(status);
    return draft;
  }
  readFields(cursor, draft, { status: text("status_code") }, (word) => `unrecognized subdirective '${word}'`);
  if (typeof draft.status_code === "string") {
    draft.status_code = statusValue(draft.status_code);
  }
  return draft;
});
