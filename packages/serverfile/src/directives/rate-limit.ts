import { readMatcherSet } from "../matchers/matcher-set.ts";
import { requestMatchers } from "../matchers/request-matchers.ts";
import { duration, type FieldReader, integer, readFields, text } from "../values/block-fields.ts";
import { childOf, type Draft, listOf } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** `rate_limit { zone name { key …; window …; events …; match { … } } }`: refuses what comes too often. Our own. */
export const rateLimit = handlerDirective(({ cursor, readModule }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "rate_limit" };
  const zoneFields: Readonly<Record<string, FieldReader>> = {
    key: text("key"),
    window: duration("window", "invalid window '%s'"),
    events: integer("max_events", "invalid events '%s'"),
    max_keys: integer("max_keys", "invalid max_keys '%s'"),
    match: (line, zone) => {
      listOf(zone, "match").push(readMatcherSet(line, requestMatchers, readModule));
    },
  };
  const zone: FieldReader = (line, read) => {
    const name = line.onlyArgument();
    const zones = childOf(read, "rate_limits");
    if (Object.hasOwn(zones, name)) {
      throw line.error(`zone ${name} is defined more than once`);
    }
    const unknown = (word: string) => `unrecognized zone subdirective '${word}'`;
    readFields(line, childOf(zones, name), zoneFields, unknown);
  };
  readFields(cursor, draft, { zone }, (word) => `unrecognized rate_limit subdirective '${word}'`);
  return draft;
});
