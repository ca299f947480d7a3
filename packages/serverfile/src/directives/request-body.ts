import { onlyText, readFields, size } from "../values/block-fields.ts";
import type { Draft } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

const fields = { max_size: size("max_size", "parsing max_size"), set: onlyText("set") };

/** `request_body { max_size 10MB; set text }`. */
export const requestBody = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "request_body" };
  readFields(cursor, draft, fields, (word) => `unrecognized request_body subdirective '${word}'`);
  return draft;
});
