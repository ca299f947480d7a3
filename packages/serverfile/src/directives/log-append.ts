import { onlyGiven } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** `log_append [<]key value`: a field of the access log; `<` takes the value before the other handlers run. */
export const logAppend = handlerDirective(({ cursor }) => {
  cursor.next();
  const key = cursor.argument();
  const value = cursor.argument();
  const early = key.startsWith("<") && key.length > 1;
  return onlyGiven({ handler: "log_append", key: early ? key.slice(1) : key, value, early });
});
