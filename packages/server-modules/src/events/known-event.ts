import { randomUUID } from "node:crypto";
import type { CloudEvent, EmittedEvent, EventData, ServerEvent } from "server-core/events/server-event";
import { machineReader } from "server-core/placeholders/machine-placeholders";

const dataPrefix = "event.data.";

/** Texts as they are, all else as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** An event as handlers get it. Source: the public model (Caddy 2.11), whose placeholders have lists and objects in Go's form */
export class KnownEvent implements ServerEvent {
  readonly id = randomUUID();
  readonly name: string;
  readonly time: Date;
  readonly module: string;
  readonly data: EventData;

  constructor({ name, module, at, data }: EmittedEvent) {
    this.name = name.toLowerCase();
    this.time = new Date(at);
    this.module = module;
    this.data = data;
  }

  fill(text: string): string {
    return text.replace(
      /\\([{}])|\{([^{}]+)\}/g,
      (whole, escaped: string | undefined, name: string | undefined) =>
        escaped ?? this.#value(name ?? "") ?? whole,
    );
  }

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

  /** Undefined for a fact that the event does not have. */
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
