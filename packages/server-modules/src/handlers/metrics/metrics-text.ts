import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { readFields, row, wordsFor } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** The only line of the block. */
const fields = {
  disable_openmetrics: row(
    "disable_openmetrics",
    (_cursor, draft) => {
      draft.disable_openmetrics = true;
    },
    wordsFor(true),
  ),
};

/**
 * `metrics { disable_openmetrics }`: responds with the server's metrics.
 * ```
 * metrics /metrics {
 *   disable_openmetrics
 * }
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "match": [{ "path": ["/metrics"] }],
 *     "handle": [{ "handler": "metrics", "disable_openmetrics": true }]
 *   }
 * ]
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const words = cursor.remainingArguments();
  if (words.length > 0) {
    throw cursor.argumentError();
  }
  const draft: Draft = { handler: "metrics" };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective ${JSON.stringify(word)}`);
  return draft;
});

/** Writes `metrics`. The block is written only if OpenMetrics is disabled. */
const toText: HandlerWriter = (handler) => ({
  directive: "metrics",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

export const metricsText: ModuleText = { directive, toText };
