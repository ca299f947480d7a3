import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";

/**
 * Environment variable with the bytes to send. A command-line argument would be visible to all users of the machine.
 */
export const pingbackVariable = "SERVER_PINGBACK_TOKEN";
/** Timeout of the connection to the parent process, in milliseconds. */
const patienceMs = 5_000;

/**
 * Notifies the parent process that the server runs. A connection is used, because a built program restarts itself with
 * Node options, and then has no inherited descriptors. A missing listener is only logged.
 * @param address host:port
 */
export async function sendPingback(address: string, log: Logger): Promise<void> {
  const token = process.env[pingbackVariable] ?? "";
  delete process.env[pingbackVariable];
  const colon = address.lastIndexOf(":");
  const socket = connect({
    host: address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, ""),
    port: Number(address.slice(colon + 1)),
    timeout: patienceMs,
  });
  try {
    socket.once("timeout", () => socket.destroy(new Error("nobody answers")));
    socket.end(token);
    await once(socket, "close");
  } catch (error) {
    log.warn(`--pingback ${address}: ${messageOf(error)}`);
  }
}

/** Waits for the process that sends the token; other connections are closed. */
export class PingbackListener {
  readonly #server: Server;
  /** Resolves when the token arrived. */
  readonly told: Promise<true>;

  constructor(token: string) {
    const expected = Buffer.from(token);
    const told = Promise.withResolvers<true>();
    this.told = told.promise;
    this.#server = createServer((socket) => {
      let received = Buffer.alloc(0);
      socket.on("error", () => socket.destroy());
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (received.length > expected.length) {
          socket.destroy();
        }
      });
      socket.on("end", () => {
        socket.end();
        if (received.length === expected.length && timingSafeEqual(received, expected)) {
          told.resolve(true);
        }
      });
    });
  }

  /** @returns host:port */
  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  /** Accepts no more connections; an open connection may still send its token. */
  close(): void {
    this.#server.close();
  }
}
