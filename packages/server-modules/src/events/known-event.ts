import { randomUUID } from "node:crypto";
import type { CloudEvent, EmittedEvent, EventData, ServerEvent } from "server-core/events/server-event";
import { machineReader } from "server-core/placeholders/machine-placeholders";

/** Prefix of placeholders for members of the event's data. */
const dataPrefix = "event.data.";

/** Strings stay unchanged; other values become JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/**
 * An event as handlers receive it. For an event `cert_obtained` with the data `{ "identifier": "example.com" }`, the
 * placeholder `{event.data.identifier}` becomes `example.com`. `\{` is a literal brace. Source: Caddy 2.11, which
 * writes lists and objects in Go's form
 */
export class KnownEvent implements ServerEvent {
  /** A unique id, so receivers can detect a duplicate delivery. */
  readonly id = randomUUID();
  /** Name in lower case, because subscriptions compare lower case. */
  readonly name: string;
  /** Time of the event, taken in the thread that emitted it. */
  readonly time: Date;
  /** Id of the module that emitted it; "" for the server itself. */
  readonly module: string;
  /** Data of the event, for placeholders and receivers. */
  readonly data: EventData;

  constructor({ name, module, at, data }: EmittedEvent) {
    this.name = name.toLowerCase();
    this.time = new Date(at);
    this.module = module;
    this.data = data;
  }

  /** Replaces placeholders by their values. An unknown placeholder stays in the text, with its braces. */
  fill(text: string): string {
    return text.replace(
      /\\([{}])|\{([^{}]+)\}/g,
      (whole, escaped: string | undefined, name: string | undefined) =>
        escaped ?? this.#value(name ?? "") ?? whole,
    );
  }

  /** The event as a CloudEvent, for external receivers. Source: CloudEvents 1.0 */
  cloudEvent(): CloudEvent {
    return {
      id: this.id,
      source: this.module || "server",
      specversion: "1.0",
      type: this.name,
      time: this.time.toISOString(),
      datacontenttype: "application/json",
      data: this.data,
    };
  }

  /** The value of a placeholder; undefined when the event lacks it. */
  #value(name: string): string | undefined {
    switch (name) {
      case "event":
        return textOf(this.cloudEvent());
      case "event.id":
        return this.id;
      case "event.name":
        return this.name;
      case "event.module":
        return this.module;
      case "event.time":
        return this.time.toISOString();
      case "event.time_unix":
        return String(this.time.getTime());
      case "event.data":
        return textOf(this.data);
      default: {
        if (!name.startsWith(dataPrefix)) {
          return machineReader(name)?.();
        }
        const key = name.slice(dataPrefix.length);
        return Object.hasOwn(this.data, key) ? textOf(this.data[key]) : undefined;
      }
    }
  }
}
