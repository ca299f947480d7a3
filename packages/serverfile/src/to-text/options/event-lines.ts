import { wordsOf } from "../../values/block-fields.ts";
import { inexpressible } from "../inexpressible.ts";
import { duration, field, fieldLines, flag, parts, text } from "../lines/field-lines.ts";
import { type Line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** Lines of the handler `exec`. */
const execFields = {
  dir: text("dir"),
  timeout: duration("timeout"),
  foreground: flag("foreground"),
  abort_codes: field("abort_codes", wordsOf.numbers),
};

/** `on event exec command … { … }`. @throws ServerError CONFIG_INEXPRESSIBLE for several events or handlers */
function subscriptionLine(subscription: Members, before: string): Line {
  const [name, ...otherNames] = subscription.texts("events") ?? [];
  const [handler, ...otherHandlers] = subscription.children("handlers") ?? [];
  if (name === undefined || otherNames.length > 0 || handler === undefined || otherHandlers.length > 0) {
    throw inexpressible(subscription.path, "`on` is for one event and one handler");
  }
  const module = handler.text("handler");
  if (module !== "exec") {
    throw inexpressible(handler.path, `there is no event handler ${module} in serverfiles`);
  }
  const command = [handler.text("command") ?? "", ...(handler.texts("args") ?? [])];
  return lineWith([before, name || "*", "exec", ...command], fieldLines(handler, execFields));
}

/** Writes the option `events`. Each subscription must name one event or all events, and one handler. */
export function eventLines(events: Members): Line[] {
  const lines = fieldLines(events, { on: parts("subscriptions", subscriptionLine) });
  events.done("events");
  return [lineWith(["events"], lines)];
}
