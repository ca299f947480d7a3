import { createHash, timingSafeEqual } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { finished } from "node:stream/promises";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { nameLookups } from "server-modules/handlers/reverse-proxy/transport/name-lookups";
import { openSocket } from "server-modules/handlers/reverse-proxy/transport/open-socket";
import { z } from "zod";
import type { Connection } from "../../connection/connection.ts";
import { takeMessage } from "../../connection/first-message.ts";
import { relay } from "../../proxy/relay.ts";
import type { Handler } from "../../routes/handler.ts";
import {
  type CommandName,
  commands,
  type Destination,
  methodReply,
  methods,
  passwordReply,
  readMethods,
  readPassword,
  readRequest,
  replies,
  requestReply,
} from "./socks5-messages.ts";
import { UdpAssociation } from "./udp-association.ts";

/**
 * Milliseconds for methods, password and request together, from the start of the handler. A slower client is
 * disconnected.
 */
const negotiationMs = 30_000;
/** Timeout in milliseconds of a connection to the destination. When it passes, the client gets an error reply. */
const dialTimeoutMs = 10_000;
/** Milliseconds until the other address family is tried in parallel. Source: RFC 8305, "Happy Eyeballs" */
const fallbackDelayMs = 300;

const configSchema = z.strictObject({
  commands: z
    .array(z.string())
    .nullish()
    .describe(
      "What clients may ask for: CONNECT, ASSOCIATE, BIND (CONNECT and ASSOCIATE). BIND is answered as not supported.",
    ),
  bind_ip: z
    .string()
    .nullish()
    .describe("IP address that clients send datagrams to (the one that they connected to)."),
  credentials: z
    .record(z.string(), z.string())
    .nullish()
    .describe("Passwords by user name, in clear text (nobody needs one)."),
});
type Config = z.infer<typeof configSchema>;

/** Numbers of the allowed commands. @throws ServerError MODULE_CONFIG for an unknown name */
function readCommands(config: Config): ReadonlySet<number> {
  const named = config.commands?.length ? config.commands : ["CONNECT", "ASSOCIATE"];
  return new Set(
    named.map((text) => {
      const number = commands[replaceAll(text).toUpperCase() as CommandName];
      if (number === undefined) {
        throw new ServerError(
          "MODULE_CONFIG",
          `socks5: command ${JSON.stringify(text)} is not CONNECT, ASSOCIATE or BIND`,
        );
      }
      return number;
    }),
  );
}

/**
 * @returns undefined for the address that the client connected to. @throws ServerError MODULE_CONFIG for an invalid IP
 * address
 */
function readBindIp(config: Config): string | undefined {
  const address = config.bind_ip ? replaceAll(config.bind_ip) : undefined;
  if (address !== undefined && isIP(address) === 0) {
    throw new ServerError("MODULE_CONFIG", `socks5: bind_ip ${JSON.stringify(address)} is no IP address`);
  }
  return address;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Passwords by name, as digests of equal length, so that comparing takes constant time. Entries whose name is empty
 * after replacing placeholders are left out. @returns undefined when no password is required
 */
function readCredentials(config: Config): ReadonlyMap<string, Buffer> | undefined {
  const entries = Object.entries(config.credentials ?? {});
  const filled = entries.map(([name, password]) => [replaceAll(name), digest(replaceAll(password))] as const);
  return entries.length === 0 ? undefined : new Map(filled.filter(([name]) => name !== ""));
}

/** Reply codes by dial error. */
const failures: Readonly<Record<string, number>> = {
  ECONNREFUSED: replies.refused,
  ENETUNREACH: replies.networkUnreachable,
  EHOSTUNREACH: replies.hostUnreachable,
  ENOTFOUND: replies.hostUnreachable,
  ENODATA: replies.hostUnreachable,
  ETIMEDOUT: replies.hostUnreachable,
};

/** Connects to a destination. @throws the error of the last tried address */
function dialTo({ host, port }: Destination): Promise<Socket> {
  const dial = { host, port, path: "", key: `${host}:${port}`, family: 0, h2c: false } as const;
  const options = {
    ...{ dialTimeoutMs, fallbackDelayMs, probeIntervalMs: 30_000, localAddress: undefined },
    ...{ lookup: nameLookups.lookup, writeBufferBytes: 0, allowHalfOpen: true },
  };
  return new Promise((resolve, reject) => {
    openSocket(dial, options, { tls: undefined }, (error, socket) =>
      socket === undefined ? reject(error ?? new Error("no connection")) : resolve(socket),
    );
  });
}

/** Sends the last reply, and waits until the client has closed. */
async function refuse(connection: Connection, reply: Buffer): Promise<void> {
  const stream = connection.take();
  stream.end(reply);
  stream.resume();
  await finished(stream).catch(() => {}); // a lost client is not an error
}

/** Handles CONNECT: dials, replies with the local address, then joins both sides. */
async function connectTo(connection: Connection, destination: Destination): Promise<void> {
  let upstream: Socket;
  try {
    upstream = await dialTo(destination);
  } catch (error) {
    const reply = failures[(error as NodeJS.ErrnoException).code ?? ""] ?? replies.failure;
    return refuse(connection, requestReply(reply));
  }
  upstream.on("error", () => upstream.destroy());
  const { localAddress = "", localPort = 0 } = upstream;
  const client = connection.take();
  client.write(requestReply(replies.succeeded, localAddress, localPort));
  await relay(client, [upstream]);
}

/**
 * Handles ASSOCIATE: opens a UDP port for the client, and keeps the port while the TCP connection is open. Source: RFC
 * 1928, section 7
 */
async function associate(connection: Connection, bindIp: string | undefined): Promise<void> {
  const { localAddress, remoteAddress } = connection.addresses;
  const address = bindIp ?? localAddress;
  let association: UdpAssociation;
  try {
    association = await UdpAssociation.open(address, remoteAddress);
  } catch {
    return refuse(connection, requestReply(replies.failure));
  }
  try {
    const client = connection.take();
    client.write(requestReply(replies.succeeded, address, association.port));
    client.resume();
    client.once("end", () => client.end());
    await finished(client).catch(() => {}); // the association ends with this connection
  } finally {
    association.close();
  }
}

/**
 * A SOCKS 5 server: clients name the destination. BIND is answered as not supported, as in caddy-l4. Source: RFC 1928,
 * RFC 1929; caddy-l4, `layer4.handlers.socks5`
 */
export const socks5 = defineModule({
  id: "layer4.handlers.socks5",
  config: configSchema,
  provision(config): Handler {
    const allowed = readCommands(config);
    const bindIp = readBindIp(config);
    const credentials = readCredentials(config);
    const isKnown = (name: string, password: string): boolean => {
      // A digest that no password matches, so an unknown name takes as long as a wrong password.
      const expected = credentials?.get(name) ?? digest(`no ${password}`);
      return timingSafeEqual(expected, digest(password));
    };
    const method = credentials === undefined ? methods.none : methods.password;

    /**
     * With `credentials`, a client must offer the password method; without, the method without a password.
     * @returns false for a client that was refused
     */
    const authenticate = async (connection: Connection, deadlineAt: number): Promise<boolean> => {
      const offered = await takeMessage(connection, readMethods, deadlineAt);
      if (!offered.includes(method)) {
        await refuse(connection, methodReply(methods.unacceptable));
        return false;
      }
      connection.stream.write(methodReply(method));
      if (credentials === undefined) {
        return true;
      }
      const { name, password } = await takeMessage(connection, readPassword, deadlineAt);
      if (!isKnown(name, password)) {
        await refuse(connection, passwordReply(false));
        return false;
      }
      connection.stream.write(passwordReply(true));
      return true;
    };

    return {
      async handle(connection) {
        const deadlineAt = performance.now() + negotiationMs;
        if (!(await authenticate(connection, deadlineAt))) {
          return;
        }
        const { command, destination } = await takeMessage(connection, readRequest, deadlineAt);
        if (destination === undefined) {
          return refuse(connection, requestReply(replies.addressNotSupported));
        }
        const isServed = command === commands.CONNECT || command === commands.ASSOCIATE;
        if (!allowed.has(command) || !isServed) {
          const isOther = isServed || command === commands.BIND;
          const isRefused = isOther && !allowed.has(command);
          return refuse(
            connection,
            requestReply(isRefused ? replies.notAllowed : replies.commandNotSupported),
          );
        }
        return command === commands.CONNECT
          ? connectTo(connection, destination)
          : associate(connection, bindIp);
      },
    };
  },
});
