import { inexpressible } from "../inexpressible.ts";
import { duration, field, fieldLines, flag, text } from "../lines/field-lines.ts";
import { type Line, line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** Lines of the handler `exec`. */
const execFields = {
  dir: text("dir"),
  timeout: duration("timeout"),
  foreground: flag("foreground"),
  abort_codes: field("abort_codes", (members, key) => members.list(key)?.map(String)),
};

/** The option `events`: each subscription that it can say is for one event, or all, and one handler. */
export function eventLines(events: Members): Line[] {
  const block = (events.children("subscriptions") ?? []).map((subscription): Line => {
    const [name, ...otherNames] = subscription.texts("events") ?? [];
    const [handler, ...otherHandlers] = subscription.children("handlers") ?? [];
    if (name === undefined || otherNames.length > 0 || handler === undefined || otherHandlers.length > 0) {
      throw inexpressible(subscription.path, "`on` is for one event and one handler");
    }
    const module = handler.text("handler");
    if (module !== "exec") {
      throw inexpressible(handler.path, `there is no event handler ${module} in serverfiles`);
    }
    const words = [
      "on",
      name || "*",
      "exec",
      handler.text("command") ?? "",
      ...(handler.texts("args") ?? []),
    ];
    const written = lineWith(words, fieldLines(handler, execFields));
    handler.done("exec");
    subscription.done("on");
    return written;
  });
  events.done("events");
  return [block.length === 0 ? line("events") : { words: ["events"], block }];
}
