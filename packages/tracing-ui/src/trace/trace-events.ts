import { messageTemplate } from "wire/message-template";
import type { Trace } from "./trace.ts";
import type { ApiAttribute } from "./trace-schema.ts";

/** An event of a span. */
export interface TraceEvent {
  /** Index in the trace of the span that recorded the event. */
  span: number;
  /** Microseconds after the trace's start; negative when a slow clock puts the event before the start. */
  offsetUs: number;
  /** Name of the event; "" without one. */
  name: string;
  /** Fields of the event, without the name. */
  fields: readonly ApiAttribute[];
  /** The exception; undefined for other events. */
  exception: { type: string; message: string; stack: string } | undefined;
}

/** Exceptions of one type whose messages differ only in numbers and names. */
export interface ExceptionGroup {
  /** Type of the exceptions; `(no type)` without a type. */
  type: string;
  /** The common message. Parts that differ, or may differ, are replaced by `<…>`. */
  template: string;
  /** Events of the group, ordered by time. */
  events: readonly TraceEvent[];
  /** Services that threw the exceptions, most exceptions first. */
  services: readonly string[];
}

const known = new WeakMap<Trace, readonly TraceEvent[]>();

/** All events of the trace, in the order of time. */
export function traceEvents(trace: Trace): readonly TraceEvent[] {
  let events = known.get(trace);
  if (events === undefined) {
    events = trace.spans
      .flatMap(({ logs }, span) =>
        (logs ?? []).map(({ timestamp, fields }) => eventOf(span, timestamp - trace.startUs, fields)),
      )
      .sort((a, b) => a.offsetUs - b.offsetUs);
    known.set(trace, events);
  }
  return events;
}

/**
 * Builds an event and separates the name from the fields. An exception is recognised by its name or by an attribute.
 */
function eventOf(span: number, offsetUs: number, fields: readonly ApiAttribute[]): TraceEvent {
  const text = (...keys: string[]) => {
    const found = fields.find(({ key }) => keys.includes(key));
    return found === undefined ? "" : String(found.value);
  };
  const named = fields.find(({ key }) => key === "event") ?? fields.find(({ key }) => key === "message");
  const name = named === undefined ? "" : String(named.value);
  const type = text("exception.type", "error.kind");
  const message = text("exception.message");
  const stack = text("exception.stacktrace", "stack");
  const isException = name === "exception" || type !== "" || message !== "" || stack !== "";
  return {
    ...{ span, offsetUs, name },
    fields: fields.filter((field) => field !== named),
    exception: isException
      ? { type: type === "" ? "(no type)" : type, message: message === "" ? text("message") : message, stack }
      : undefined,
  };
}

/** The exceptions among the events, by type and template of the message: the most frequent first. */
export function groupExceptions(trace: Trace, events: readonly TraceEvent[]): readonly ExceptionGroup[] {
  const groups = new Map<string, { type: string; template: string; events: TraceEvent[] }>();
  for (const event of events) {
    if (event.exception === undefined) {
      continue;
    }
    const { type, message } = event.exception;
    const template = messageTemplate(message);
    const key = `${type}\n${template}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { type, template, events: [event] });
    } else {
      group.events.push(event);
    }
  }
  return [...groups.values()]
    .map((group) => {
      const messages = new Set(group.events.map(({ exception }) => exception?.message));
      const [message = group.template] = messages.size === 1 ? messages : [];
      return { ...group, template: message, services: servicesOf(trace, group.events) };
    })
    .sort((a, b) => b.events.length - a.events.length);
}

/** Names of the services of events, the most events first. */
function servicesOf(trace: Trace, events: readonly TraceEvent[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { span } of events) {
    const name = trace.services[trace.service[span] as number] ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/**
 * True when an event contains every lower-case word in its name, its fields, its service or the operation of its
 * span.
 */
export function eventHolds(trace: Trace, event: TraceEvent, words: readonly string[]): boolean {
  if (words.length === 0) {
    return true;
  }
  const text = [
    event.name,
    trace.services[trace.service[event.span] as number] ?? "",
    trace.spans[event.span]?.operationName ?? "",
    ...event.fields.map(({ key, value }) => `${key}=${value}`),
  ]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
