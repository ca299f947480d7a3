import { ServerError } from "server-core/errors";
import {
  type EmittedEvent,
  type EventOutcome,
  type EventSink,
  emitTopic,
  eventHandlers,
  wantedTopic,
} from "server-core/events/server-event";
import type { JsonValue } from "server-core/json/json-value";
import { configDuration, inlineModule } from "server-core/modules/config-fields";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import { EventCounters, eventCounters } from "./event-counters.ts";
import { HandlerQueue } from "./handler-queue.ts";
import { KnownEvent } from "./known-event.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Default timeout of one handler for one event, in milliseconds. */
const defaultTimeoutMs = 30_000;
/** Maximum number of events that may wait for one handler. Beyond it events are dropped and counted. */
const maxWaiting = 1_000;

/**
 * Example that writes a line for each new certificate:
 * ```json
 * {
 *   "subscriptions": [
 *     {
 *       "events": ["cert_obtained"],
 *       "handlers": [{ "handler": "exec", "command": "/usr/bin/logger", "args": ["{event.data.identifier}"] }]
 *     }
 *   ]
 * }
 * ```
 */
const schema = z.strictObject({
  subscriptions: z
    .array(
      z.strictObject({
        events: z
          .array(z.string())
          .nullish()
          .describe("Names of events, upper or lower case; an empty one stands for all (all)."),
        modules: z
          .array(z.string())
          .nullish()
          .describe("Modules that they come from, or namespaces: `tls`, `http.handlers` (all)."),
        handlers: z
          .array(inlineModule("events.handlers", "handler"))
          .nullish()
          .describe("What is done then, in this order."),
      }),
    )
    .nullish()
    .describe("What is done when an event occurs."),
  handler_timeout: configDuration()
    .nullish()
    .describe("How long a handler may take with an event before others go on without it (30s)."),
});

type EventsConfig = z.infer<typeof schema>;

/**
 * The app `events`: calls handlers of events, in the main thread. Only emitters that need the result wait for the
 * handlers. Source: Caddy 2.11, whose emitters wait for every handler
 */
class EventsApp implements App, EventSink {
  readonly #config: EventsConfig;
  readonly #context: ModuleContext;
  /** Queues by event and module. */
  readonly #subscriptions = new Subscriptions<HandlerQueue>();
  /** All queues, to close them. */
  readonly #queues: HandlerQueue[] = [];
  /** Events that are queued or being handled. */
  readonly #underWay = new Set<Promise<EventOutcome>>();
  /** Events emitted during set-up wait for this promise, so a dry run calls no handler. */
  readonly #start = Promise.withResolvers<void>();
  #isStarted = false;
  isOpen = true;

  constructor(config: EventsConfig, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
  }

  get #timeoutMs(): number {
    return this.#config.handler_timeout || defaultTimeoutMs;
  }

  /** @throws ServerError */
  async provision(): Promise<void> {
    const { log, metrics } = this.#context;
    if (!this.#config.subscriptions?.length) {
      return;
    }
    const { value: counters } = await this.#context.acquire(
      eventCounters,
      "",
      () => new EventCounters(metrics),
    );
    for (const [position, { events, modules, handlers }] of (this.#config.subscriptions ?? []).entries()) {
      if (handlers?.length === 0) {
        throw new ServerError("MODULE_CONFIG", `subscription ${position}: no handlers defined`);
      }
      for (const [place, config] of (handlers ?? []).entries()) {
        const handler = await this.#context.loadInline(
          eventHandlers,
          "handler",
          config as JsonValue,
          `subscriptions/${position}/handlers/${place}`,
        );
        const queue = new HandlerQueue(handler, {
          name: String(config.handler),
          timeoutMs: this.#timeoutMs,
          maxWaiting,
          counters,
          log,
        });
        this.#queues.push(queue);
        this.#subscriptions.add(events ?? [], modules ?? [], queue);
      }
    }
  }

  start(): void {
    this.#isStarted = true;
    this.#start.resolve();
    this.#context.messages.on(wantedTopic, (name) => this.#subscriptions.has(String(name)));
  }

  activate(): void {
    this.#context.messages.on(emitTopic, (value) => this.emit(value as EmittedEvent));
  }

  started(): void {
    void this.#emitOwn("started");
  }

  async stopping(): Promise<void> {
    await this.#emitOwn("stopping");
  }

  /** Handlers may finish their current and queued events, within the timeout of one event. */
  async stop(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#timeoutMs);
    await Promise.race([Promise.all(this.#underWay), late]);
    clearTimeout(timer);
    this.close();
  }

  close(): void {
    this.isOpen = false;
    for (const queue of this.#queues) {
      queue.close();
    }
    this.#start.resolve();
  }

  async emit(emitted: EmittedEvent): Promise<EventOutcome> {
    const { log } = this.#context;
    const name = emitted.name.toLowerCase();
    log.debug({ module: emitted.module, data: emitted.data }, `event ${name}`);
    if (!this.#subscriptions.has(name)) {
      return { data: emitted.data };
    }
    const event = new KnownEvent(emitted);
    if (!this.#isStarted && this.#underWay.size >= maxWaiting) {
      for (const queue of this.#subscriptions.of(name, emitted.module)) {
        queue.pass();
      }
      return { data: emitted.data };
    }
    const dispatch = this.#isStarted
      ? this.#dispatch(event)
      : this.#start.promise.then(() => this.#dispatch(event));
    this.#underWay.add(dispatch);
    try {
      return await dispatch;
    } finally {
      this.#underWay.delete(dispatch);
    }
  }

  async #dispatch(event: KnownEvent): Promise<EventOutcome> {
    for (const queue of this.#subscriptions.of(event.name, event.module)) {
      const aborted = await queue.run(event);
      if (aborted !== undefined) {
        return { aborted, data: event.data };
      }
    }
    return { data: event.data };
  }

  /** Emits an event of the server itself. */
  #emitOwn(name: string): Promise<EventOutcome> {
    return this.emit({ name, module: "", at: Date.now(), data: {} });
  }
}

/** Loaded even without a config, because modules emit events with or without subscribers. */
export const eventsApp = defineModule({
  id: "events",
  implied: true,
  config: schema,
  async provision(config, context): Promise<App> {
    const app = new EventsApp(config, context);
    await app.provision();
    return app;
  },
});
