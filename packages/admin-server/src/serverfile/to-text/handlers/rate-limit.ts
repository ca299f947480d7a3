import { duration, fieldLines, integer, text } from "../lines/field-lines.ts";
import type { Line } from "../lines/line.ts";
import { matcherLines } from "../matchers/request-matcher-lines.ts";
import type { HandlerWriter } from "../routes/handler-writer.ts";

const zoneFields = {
  key: text("key"),
  window: duration("window"),
  events: integer("max_events"),
  max_keys: integer("max_keys"),
};

/** `rate_limit`. */
export const rateLimit: HandlerWriter = (handler) => {
  const zones = handler.child("rate_limits");
  const lines = (zones?.childEntries() ?? []).map(([name, zone]): Line => {
    const inner = fieldLines(zone, zoneFields);
    for (const [index, set] of (zone.list("match") ?? []).entries()) {
      inner.push({ words: ["match"], block: matcherLines(set, `${zone.pathOf("match")}/${index}`, "") });
    }
    zone.done("a zone of rate_limit");
    return { words: ["zone", name], block: inner };
  });
  return { directive: "rate_limit", words: [], block: lines.length === 0 ? undefined : lines };
};
