import {
  type EmittedEvent,
  type EventOutcome,
  emitTopic,
  wantedTopic,
} from "server-core/events/server-event";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import type { ClientHello } from "../client-hello.ts";

const eventName = "tls_get_certificate";
/** Handshakes that may wait for handlers; further ones fail. */
const maxWaiting = 1_000;

/** Tells of handshakes where somebody wants to know. Source: the public model (certmagic) */
export class HandshakeEvents {
  readonly #messages: ThreadMessages;
  #isWanted = false;
  #waiting = 0;

  constructor(messages: ThreadMessages) {
    this.#messages = messages;
  }

  /** Learns whether the config has handlers for them. @throws ServerError THREAD */
  async load(): Promise<void> {
    this.#isWanted = (await this.#messages.askMain(wantedTopic, eventName)) === true;
  }

  /** @returns whether the handshake may go on; undefined: it may, nobody is asked */
  ask(hello: ClientHello): Promise<boolean> | undefined {
    return this.#isWanted ? this.#tell(hello) : undefined;
  }

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
