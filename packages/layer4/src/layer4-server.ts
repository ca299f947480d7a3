import type { Socket } from "node:net";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { socketAddresses } from "./connection/addresses.ts";
import { Connection } from "./connection/connection.ts";
import type { ConnectionSink } from "./listen/connection-listener.ts";
import { MatchingFault, type RouteList } from "./routes/routes.ts";

/** Receives a connection that no route took. @returns true when another server continues it; false: it is closed */
type Pass = (connection: Connection) => boolean;

/** One server of the app, or one listener wrapper: it passes connections to routes, and counts the open ones. */
export class Layer4Server implements ConnectionSink {
  readonly #name: string;
  readonly #routes: RouteList;
  readonly #log: Logger;
  /** Connections that routes still serve. A connection that was passed to another server does not count. */
  #active = 0;
  #onIdle: (() => void) | undefined;

  constructor(name: string, routes: RouteList, log: Logger) {
    this.#name = name;
    this.#routes = routes;
    this.#log = log;
  }

  take(socket: Socket): void {
    // A connection that no route took is closed. Source: caddy-l4
    this.takeOr(socket, () => false);
  }

  /** Like {@link take}, for a connection that another server may continue. */
  takeOr(socket: Socket, pass: Pass): void {
    void this.#serve(new Connection(socket, socketAddresses(socket)), socket, pass);
  }

  /**
   * Resolves when all connections have ended, without a deadline.
   */
  async drain(): Promise<void> {
    if (this.#active > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  /** An error ends only this connection. */
  async #serve(connection: Connection, socket: Socket, pass: Pass): Promise<void> {
    this.#active++;
    let isPassed = false;
    try {
      await this.#routes.run(connection, async (passed) => {
        isPassed = pass(passed);
      });
    } catch (error) {
      this.#tell(connection, error);
    } finally {
      if (!isPassed) {
        socket.destroySoon();
      }
      this.#active--;
      if (this.#active === 0) {
        this.#onIdle?.();
      }
    }
  }

  /**
   * Logs the reason why a connection was closed: at `warn` when no route was found, at `error` for a failed handler.
   */
  #tell(connection: Connection, error: unknown): void {
    const text = `server ${this.#name}: connection of ${connection.addresses.remote || "a unix socket"}: ${messageOf(error)}`;
    if (error instanceof MatchingFault) {
      // Scanners and health checks connect without sending anything.
      this.#log[error.peeked === "ended" ? "debug" : "warn"](text);
    } else {
      this.#log.error(text);
    }
  }
}
