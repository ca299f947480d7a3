import { duration, type FieldReaders, readFields, size } from "../values/block-fields.ts";
import type { Draft } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

const fields: FieldReaders = {
  max_bytes: size("max_bytes", "parsing max_bytes"),
  max_object_bytes: size("max_object_bytes", "parsing max_object_bytes"),
  default_ttl: duration("default_ttl", "invalid default_ttl '%s'"),
};

/** `cache { max_bytes 64MiB; max_object_bytes 1MiB; default_ttl 5m }`: keeps answers and gives them again. Our own. */
export const cache = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "cache" };
  readFields(cursor, draft, fields, (word) => `unrecognized cache subdirective '${word}'`);
  return draft;
});
