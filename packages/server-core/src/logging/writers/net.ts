import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { z } from "zod";
import { messageOf, ServerError } from "../../errors.ts";
import { configTimeout } from "../../modules/config-fields.ts";
import { defineModule } from "../../modules/module.ts";
import { replaceStrictly } from "../../placeholders/machine-placeholders.ts";
import { LineQueue, lostLine } from "../line-queue.ts";
import type { LogWriter } from "../log-modules.ts";

interface NetAddress {
  /** Protocol: `tcp` reconnects after failures; `udp` sends one datagram for each line; `unix` is a stream. */
  readonly network: "tcp" | "udp" | "unix";
  /** Host name, or the path of a unix socket. */
  readonly host: string;
  /** Port; 0 for a unix socket. */
  readonly port: number;
}

const defaultDialMs = 3000;
const minPauseMs = 100;
const maxPauseMs = 10_000;

function parseAddress(text: string): NetAddress {
  const [, network = "tcp", rest = ""] = /^(?:(tcp|udp|unix)\/)?(.+)$/.exec(text) ?? [];
  if (network === "unix") {
    return { network, host: rest, port: 0 };
  }
  const [, host = "", port = ""] = /^([^/]*):(\d+)$/.exec(rest) ?? [];
  if ((network !== "tcp" && network !== "udp") || Number(port) < 1 || Number(port) > 65_535) {
    throw new ServerError(
      "MODULE_CONFIG",
      `address ${JSON.stringify(text)} is none of tcp/host:port, udp/host:port, unix/path`,
    );
  }
  return { network, host: host.replace(/^\[(.*)\]$/, "$1") || "localhost", port: Number(port) };
}

/** A connection that is opened on demand, and opened again after it broke. */
class Connection {
  readonly #address: NetAddress;
  readonly #dialMs: number;
  #socket: Socket | undefined;

  constructor(address: NetAddress, dialMs: number) {
    this.#address = address;
    this.#dialMs = dialMs;
  }

  open(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed) {
      return Promise.resolve(this.#socket);
    }
    const { network, host, port } = this.#address;
    return new Promise((resolve, reject) => {
      const socket = network === "unix" ? connect(host) : connect(port, host);
      const timer = setTimeout(() => socket.destroy(new Error("dial timeout")), this.#dialMs);
      socket.once("connect", () => {
        clearTimeout(timer);
        this.#socket = socket;
        resolve(socket);
      });
      socket.on("error", (error) => {
        clearTimeout(timer);
        reject(error);
      });
      socket.once("close", () => {
        this.#socket = this.#socket === socket ? undefined : this.#socket;
      });
      socket.resume();
      socket.unref();
    });
  }

  async send(bytes: Buffer): Promise<void> {
    const socket = await this.open();
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error("connection closed"));
      socket.once("close", fail);
      socket.write(bytes, (error) => {
        socket.off("close", fail);
        if (error) {
          reject(error);
        } else {
          resolve();
        }
      });
    });
  }

  close(): void {
    this.#socket?.destroySoon();
  }
}

/** Sends one datagram for each line. */
function udpSend(address: NetAddress): { send: (bytes: Buffer) => Promise<void>; close: () => void } {
  const socket = createSocket(address.host.includes(":") ? "udp6" : "udp4");
  socket.on("error", () => {});
  socket.unref();
  return {
    async send(bytes) {
      for (const line of bytes.toString("utf8").split(/(?<=\n)/)) {
        await new Promise<void>((resolve, reject) => {
          socket.send(line, address.port, address.host, (error) => (error ? reject(error) : resolve()));
        });
      }
    },
    close: () => socket.close(),
  };
}

/** Sends lines over a connection. While the connection is broken, lines wait, up to a limit. */
export const netWriter = defineModule({
  id: "logging.writers.net",
  config: z.strictObject({
    address: z.string().describe("`tcp/host:port`, `udp/host:port` or `unix/path`."),
    dial_timeout: configTimeout()
      .refine((ms) => ms >= 0, { error: "timeout cannot be less than 0" })
      .nullish()
      .describe("How long connecting may take (3s)."),
    soft_start: z.boolean().nullish().describe("Whether the config loads also when nobody can be reached."),
  }),
  provision(config): LogWriter {
    const address = parseAddress(replaceStrictly(config.address));
    const connection = new Connection(address, config.dial_timeout || defaultDialMs);
    const udp = address.network === "udp" ? udpSend(address) : undefined;
    let pauseMs = minPauseMs;
    let closing = false;
    const send = async (bytes: Buffer): Promise<void> => {
      for (;;) {
        try {
          await (udp ?? connection).send(bytes);
          pauseMs = minPauseMs;
          return;
        } catch (error) {
          if (closing) {
            throw error;
          }
          await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
          pauseMs = Math.min(maxPauseMs, pauseMs * 2);
        }
      }
    };
    const queue = new LineQueue({ send, lostLine });
    return {
      write: (line) => queue.push(line),
      async open() {
        if (udp === undefined && config.soft_start !== true) {
          try {
            await connection.open();
          } catch (error) {
            throw new ServerError(
              "CONFIG_REFUSED",
              `opening log writer ${config.address}: ${messageOf(error)}`,
            );
          }
        }
      },
      async close() {
        closing = true;
        await Promise.race([queue.drained(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
        connection.close();
        udp?.close();
      },
    };
  },
});
