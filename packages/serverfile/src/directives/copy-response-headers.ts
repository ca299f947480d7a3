import { type FieldReader, readFields } from "../values/block-fields.ts";
import { type Draft, listOf } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

function names(key: string): FieldReader {
  return (cursor, draft) => {
    const list = cursor.remainingArguments();
    if (list.length > 0) {
      listOf(draft, key).push(...list);
    }
  };
}

/** `copy_response_headers { include …; exclude … }`, in `handle_response`. */
export const copyResponseHeaders = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "copy_response_headers" };
  const fields = { include: names("include"), exclude: names("exclude") };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective '${word}'`);
  return draft;
});
