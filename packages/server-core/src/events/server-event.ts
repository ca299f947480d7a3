import type { ModuleInstance, ModuleNamespace } from "../module-instance.ts";

/** Data of an event beside its name. It must be valid for `structuredClone`, because it may cross threads. */
export type EventData = Record<string, unknown>;

/** An event in the form of CloudEvents 1.0, for those that hand it on as JSON. */
export interface CloudEvent {
  /** Unique for each event. Source: CloudEvents 1.0 */
  readonly id: string;
  /** Id of the module that emitted it. */
  readonly source: string;
  readonly specversion: "1.0";
  /** Name of the event: `cert_obtained`. */
  readonly type: string;
  /** When it was emitted, as RFC 3339. */
  readonly time: string;
  readonly datacontenttype: "application/json";
  /** Facts of the event. */
  readonly data: EventData;
}

/** Something that happened, or is about to, as handlers see it. */
export interface ServerEvent {
  /** Unique for each event. */
  readonly id: string;
  /** In lower case. */
  readonly name: string;
  /** When it was emitted. */
  readonly time: Date;
  /** Id of the module that it comes from; "" for the server itself. */
  readonly module: string;
  /** Facts of the event. Changes are seen by later handlers, and by the emitter that waits for the outcome. */
  readonly data: EventData;
  /** Fills in `{event.name}`, `{event.data.*}` and the other placeholders that there are without a request. */
  fill(text: string): string;
  /** The event in the form that is sent to others. */
  cloudEvent(): CloudEvent;
}

/** Does something when an event occurs; a module of the namespace `events.handlers`. */
export interface EventHandler extends ModuleInstance {
  /**
   * Called with one event after the other, in the main thread.
   * @param signal aborted when the handler takes too long: the next handlers run without waiting for it
   * @throws EventAborted to stop later handlers and, where possible, the announced action
   */
  handle(event: ServerEvent, signal: AbortSignal): void | Promise<void>;
}

export const eventHandlers: ModuleNamespace<EventHandler> = { prefix: "events.handlers" };

/** Thrown by a handler to abort an event. */
export class EventAborted extends Error {
  override readonly name = "EventAborted";
}

/** Whether an error is an {@link EventAborted}, also one of another copy of this file in a package of its own. */
export function isEventAborted(error: unknown): error is EventAborted {
  return error instanceof Error && error.name === "EventAborted";
}

/** An event on its way to the handlers. */
export interface EmittedEvent {
  /** Name without the module: `cert_obtained`. */
  readonly name: string;
  /** Id of the module that emitted it. */
  readonly module: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Facts, which handlers may add to. */
  readonly data: EventData;
}

/** The outcome of an event. */
export interface EventOutcome {
  /** Why a handler said no; undefined when none did. */
  readonly aborted?: string;
  /** Facts after all handlers have run. */
  readonly data: EventData;
}

/** Takes the events of a config: its app `events`. */
export interface EventSink {
  /** False once its config is gone. */
  readonly isOpen: boolean;
  /** Never fails. @returns when all handlers are done with it */
  emit(event: EmittedEvent): Promise<EventOutcome>;
}

export function isEventSink(value: unknown): value is EventSink {
  return typeof (value as Partial<EventSink> | undefined)?.emit === "function";
}

/** Topic by which threads hand events to the main one. */
export const emitTopic = "events.emit";

/** Topic by which threads ask the main one, while a config starts, whether it has handlers for events of a name. */
export const wantedTopic = "events.wanted";
