import type { Socket } from "node:net";
import { isIPv4, isIPv6 } from "node:net";
import type { DialAddress } from "./dial-address.ts";

/** The user of a SOCKS proxy; undefined for a proxy without a user. */
export interface SocksUser {
  /** Name, at most 255 bytes. Source: RFC 1929 */
  readonly name: string;
  /** Password, at most 255 bytes. */
  readonly password: string;
}

const version = 5;
const userVersion = 1;
/** Authentication methods. `refused`: the proxy accepts none of the offered methods. */
const methods = { none: 0, user: 2, refused: 255 } as const;
/** The command that opens a tunnel. */
const connectCommand = 1;
/** Address types in requests and replies. Source: RFC 1928, section 5 */
const addressTypes = { v4: 1, name: 3, v6: 4 } as const;

/** Error texts by reply code. Source: RFC 1928, section 6 */
const replies: readonly string[] = [
  "succeeded",
  "general SOCKS server failure",
  "connection not allowed by ruleset",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "TTL expired",
  "command not supported",
  "address type not supported",
];

/** Converts an IPv6 address to its sixteen bytes. */
function ipv6Bytes(text: string): Buffer {
  // The URL parser converts every form to groups, including an IPv4 tail.
  const groups = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [before = "", after] = groups.split("::");
  const read = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((each) => Number.parseInt(each, 16));
  const left = read(before);
  const right = after === undefined ? [] : read(after);
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of all.entries()) {
    bytes.writeUInt16BE(group, index * 2);
  }
  return bytes;
}

/** Encodes an address. The proxy resolves names. */
function addressBytes(host: string): Buffer {
  if (isIPv4(host)) {
    return Buffer.from([addressTypes.v4, ...host.split(".").map(Number)]);
  }
  if (isIPv6(host)) {
    return Buffer.concat([Buffer.from([addressTypes.v6]), ipv6Bytes(host.replace(/%.*$/, ""))]);
  }
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([addressTypes.name, name.length]), name]);
}

/** Version, command, reserved, address, port. Source: RFC 1928, section 4 */
function connectRequest({ host, port }: DialAddress): Buffer {
  const request = [Buffer.from([version, connectCommand, 0]), addressBytes(host)];
  return Buffer.concat([...request, Buffer.from([port >> 8, port & 255])]);
}

/** Name and password, each preceded by its length. Source: RFC 1929, section 2 */
function userRequest({ name, password }: SocksUser): Buffer {
  const [user, secret] = [Buffer.from(name), Buffer.from(password)];
  const parts = [Buffer.from([userVersion, user.length]), user, Buffer.from([secret.length]), secret];
  return Buffer.concat(parts);
}

/** Length of the reply in bytes; undefined until the first bytes determine it. */
function replyLength(bytes: Buffer): number | undefined {
  if (bytes.length < 5) {
    return undefined;
  }
  switch (bytes[3]) {
    case addressTypes.v4:
      return 10;
    case addressTypes.v6:
      return 22;
    case addressTypes.name:
      return 7 + (bytes[4] ?? 0);
    default:
      throw new Error(`an answer with address type ${bytes[3]}`);
  }
}

/**
 * The dialog with the proxy: each step reads an answer and returns the next bytes to send.
 * | Step | Sent | Expected answer |
 * |---|---|---|
 * | `method` | version and methods | version, chosen method |
 * | `user` | name and password, if the proxy requires them | version, 0 for success |
 * | `reply` | CONNECT with the target | version, reply, bound address |
 */
class SocksTalk {
  readonly #target: DialAddress;
  readonly #user: SocksUser | undefined;
  /** The expected answer. */
  #step: "method" | "user" | "reply" = "method";

  constructor(target: DialAddress, user: SocksUser | undefined) {
    this.#target = target;
    this.#user = user;
  }

  /** The greeting; without credentials, only the method `none` is offered. */
  get first(): Buffer {
    const offered = this.#user === undefined ? [methods.none] : [methods.none, methods.user];
    return Buffer.from([version, offered.length, ...offered]);
  }

  /** Length of the expected answer; undefined until its first bytes determine it. @throws Error */
  awaited(bytes: Buffer): number | undefined {
    if (bytes.length > 0 && bytes[0] !== (this.#step === "user" ? userVersion : version)) {
      throw new Error("no answer of SOCKS 5");
    }
    return this.#step === "reply" ? replyLength(bytes) : 2;
  }

  /** @returns the next bytes to send; undefined once the tunnel is open. @throws Error with the proxy's refusal */
  take(answer: Buffer): Buffer | undefined {
    const code = answer[1] ?? 0;
    switch (this.#step) {
      case "method":
        if (code === methods.user && this.#user !== undefined) {
          this.#step = "user";
          return userRequest(this.#user);
        }
        if (code !== methods.none) {
          throw new Error(
            code === methods.refused ? "it wants other credentials" : `it wants method ${code}`,
          );
        }
        break;
      case "user":
        if (code !== 0) {
          throw new Error("it refuses user and password");
        }
        break;
      case "reply":
        if (code !== 0) {
          throw new Error(replies[code] ?? `reply ${code}`);
        }
        return undefined;
    }
    this.#step = "reply";
    return connectRequest(this.#target);
  }
}

/**
 * Asks a SOCKS proxy for a tunnel. Data that follows the proxy's answer stays in the socket.
 * @param done called once, with the proxy's error, or with undefined when the tunnel is open; not called when the
 * socket fails. Source: RFC 1928; RFC 1929 for user and password
 */
export function askForSocksTunnel(
  socket: Socket,
  target: DialAddress,
  user: SocksUser | undefined,
  done: (fault: string | undefined) => void,
): void {
  const talk = new SocksTalk(target, user);
  let bytes: Buffer = Buffer.alloc(0);
  const finish = (fault: string | undefined): void => {
    socket.off("readable", onReadable);
    done(fault);
  };
  const onReadable = (): void => {
    try {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read()) {
        bytes = Buffer.concat([bytes, chunk]);
        for (let length = talk.awaited(bytes); length !== undefined; length = talk.awaited(bytes)) {
          if (bytes.length < length) {
            break;
          }
          const next = talk.take(bytes.subarray(0, length));
          bytes = bytes.subarray(length);
          if (next === undefined) {
            if (bytes.length > 0) {
              socket.unshift(bytes);
            }
            finish(undefined);
            return;
          }
          socket.write(next);
        }
      }
    } catch (error) {
      finish((error as Error).message);
    }
  };
  socket.on("readable", onReadable);
  socket.write(talk.first);
}
