import { wordsOf } from "../../values/block-fields.ts";
import { inexpressible } from "../inexpressible.ts";
import { duration, field, fieldLines, flag, parts, text } from "../lines/field-lines.ts";
import { type Line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** Lines of the block for each event handler module, by module name. */
const handlers = {
  exec: {
    dir: text("dir"),
    timeout: duration("timeout"),
    foreground: flag("foreground"),
    abort_codes: field("abort_codes", wordsOf.numbers),
  },
};

/** `on event exec command … { … }`. @throws ServerError CONFIG_INEXPRESSIBLE for several events or handlers */
function subscriptionLine(subscription: Members, before: string): Line {
  const [name, ...otherNames] = subscription.texts("events") ?? [];
  const [handler, ...otherHandlers] = subscription.children("handlers") ?? [];
  if (name === undefined || otherNames.length > 0 || handler === undefined || otherHandlers.length > 0) {
    throw inexpressible(subscription.path, "`on` is for one event and one handler");
  }
  const [module, fields] = handler.module("handler", handlers, "event handler");
  const command = [handler.text("command") ?? "", ...(handler.texts("args") ?? [])];
  return lineWith([before, name || "*", module, ...command], fieldLines(handler, fields));
}

/** Writes the option `events`. Each subscription must name one event or all events, and one handler. */
export function eventLines(events: Members): Line[] {
  const lines = fieldLines(events, { on: parts("subscriptions", subscriptionLine) });
  events.done("events");
  return [lineWith(["events"], lines)];
}
