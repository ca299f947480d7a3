import {
  type EmittedEvent,
  type EventOutcome,
  emitTopic,
  wantedTopic,
} from "server-core/events/server-event";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import type { ClientHello } from "../client-hello.ts";

/** Name of the event that handlers of the config subscribe to. */
const eventName = "tls_get_certificate";
/** Maximum number of handshakes that wait for handlers; further handshakes fail. */
const maxWaiting = 1_000;

/** Emits an event for each handshake if the config has a handler for it. Source: certmagic */
export class HandshakeEvents {
  readonly #messages: ThreadMessages;
  /** False: the config has no handler for these events, so that handshakes need not wait. */
  #isWanted = false;
  /** Handshakes that wait for handlers now. */
  #waiting = 0;

  constructor(messages: ThreadMessages) {
    this.#messages = messages;
  }

  /** Finds out whether the config has handlers for these events. @throws ServerError THREAD */
  async load(): Promise<void> {
    this.#isWanted = (await this.#messages.askMain(wantedTopic, eventName)) === true;
  }

  /**
   * @returns resolves to true: the handshake may continue; to false: it must fail; undefined: it may continue without
   * an event
   */
  ask(hello: ClientHello): Promise<boolean> | undefined {
    return this.#isWanted ? this.#tell(hello) : undefined;
  }

  /**
   * Emits the event and waits for its handlers. @returns false when a handler aborts the event, or when too many
   * handshakes wait
   */
  async #tell({ serverName, protocols }: ClientHello): Promise<boolean> {
    if (this.#waiting >= maxWaiting) {
      return false;
    }
    this.#waiting++;
    try {
      const event: EmittedEvent = {
        name: eventName,
        module: "tls",
        at: Date.now(),
        data: { client_hello: { ServerName: serverName, SupportedProtos: [...protocols] } },
      };
      const { aborted } = (await this.#messages.askMain(emitTopic, event)) as EventOutcome;
      return aborted === undefined;
    } finally {
      this.#waiting--;
    }
  }
}
