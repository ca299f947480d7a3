import { readFields } from "../values/block-fields.ts";
import type { Draft } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** `metrics { disable_openmetrics }`: answers with the server's metrics. */
export const metrics = handlerDirective(({ cursor }) => {
  cursor.next();
  const words = cursor.remainingArguments();
  if (words.length > 0) {
    throw cursor.argumentError();
  }
  const draft: Draft = { handler: "metrics" };
  const fields = {
    disable_openmetrics: () => {
      draft.disable_openmetrics = true;
    },
  };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective ${JSON.stringify(word)}`);
  return draft;
});
