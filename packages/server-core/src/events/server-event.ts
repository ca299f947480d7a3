import type { ModuleInstance, ModuleNamespace } from "../module-instance.ts";

/** Data of an event. It must be valid for `structuredClone`, because it may be sent between threads. */
export type EventData = Record<string, unknown>;

/** An event in the form of CloudEvents 1.0, for handlers that send it as JSON. */
export interface CloudEvent {
  /** Unique for each event. Source: CloudEvents 1.0 */
  readonly id: string;
  /** Id of the module that emitted it. */
  readonly source: string;
  readonly specversion: "1.0";
  /** Name of the event: `cert_obtained`. */
  readonly type: string;
  /** Time of the event, RFC 3339. */
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: EventData;
}

/** An event that happened, or is about to happen, as handlers get it. */
export interface ServerEvent {
  /** Unique for each event. */
  readonly id: string;
  /** Name of the event in lower case. */
  readonly name: string;
  /** Time at which the event was emitted. */
  readonly time: Date;
  /** Id of the module that emitted it; "" for the server itself. */
  readonly module: string;
  /**
   * Data of the event. Changes by a handler are visible to later handlers, and to an emitter that waits for the
   * outcome.
   */
  readonly data: EventData;
  /** Replaces `{event.name}`, `{event.data.*}` and all placeholders that do not need a request. */
  fill(text: string): string;
  /** The event as CloudEvents 1.0, for other systems. */
  cloudEvent(): CloudEvent;
}

/** Handles an event; a module of the namespace `events.handlers`. */
export interface EventHandler extends ModuleInstance {
  /**
   * Called for one event at a time, in the main thread.
   * @param signal aborted when the handler takes too long; later handlers then run without waiting for this handler
   * @throws EventAborted to skip later handlers and, if possible, to prevent the announced action
   */
  handle(event: ServerEvent, signal: AbortSignal): void | Promise<void>;
}

export const eventHandlers: ModuleNamespace<EventHandler> = { prefix: "events.handlers" };

/** Thrown by a handler to abort an event. */
export class EventAborted extends Error {
  override readonly name = "EventAborted";
}

/** True for an {@link EventAborted}, including one from another copy of this file in a separate package. */
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
  /** Data of the event; handlers may change it. */
  readonly data: EventData;
}

export interface EventOutcome {
  /** Reason of the handler that aborted the event; undefined when no handler aborted it. */
  readonly aborted?: string;
  /** Data after all handlers have run. */
  readonly data: EventData;
}

/** Receives the events of a config: its app `events`. */
export interface EventSink {
  /** False after its config was stopped. */
  readonly isOpen: boolean;
  /** Never fails. @returns a promise that resolves when all handlers have finished */
  emit(event: EmittedEvent): Promise<EventOutcome>;
}

export function isEventSink(value: unknown): value is EventSink {
  return typeof (value as Partial<EventSink> | undefined)?.emit === "function";
}

/** Topic with which threads send events to the main thread. */
export const emitTopic = "events.emit";

/**
 * Topic with which a thread asks the main thread, during the start of a config, whether events of a name have handlers.
 */
export const wantedTopic = "events.wanted";
