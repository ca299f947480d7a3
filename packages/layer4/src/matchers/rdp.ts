// Bytes of the request:
//
// | offset | bytes | meaning |
// |---|---|---|
// | 0 | 2 | 03 00: TPKT, version 3 |
// | 2 | 2 | length of the whole message |
// | 4 | 1 | length of the rest: 5 less than the whole length |
// | 5 | 1 | e0: connection request |
// | 6 | 5 | 0: references and class |
// | 11 | | a line with CR LF: a cookie, a token or a custom text; may be absent |
// | after the line | 8 | negotiation request: 01, flags, 08 00, protocols; may be absent |
// | after it | 36 | correlation info, when the flag 08 is set |
//
// The connection request of RDP. Source: [MS-RDPBCGR], section 2.2.1.1; RFC 1006 (TPKT); X.224, class 0

import { defineModule } from "server-core/modules/module";
import { IpRanges } from "server-core/net/ip-ranges";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import type { Connection } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";

/** Bytes of the request before the cookie line. */
const headBytes = 11;
const cookieStart = "Cookie: mstshash=";
const negotiationBytes = 8;
const correlationBytes = 36;
const correlationFollows = 8;
/** Defined flags of a negotiation request; another flag means another protocol. */
const knownFlags = 0x0b;
/** Defined bits of protocols. */
const knownProtocols = 0x1f;

/** The part of the request that rules use. */
interface RdpRequest {
  /** The line before the negotiation, without its line break; "" for none. */
  readonly line: string;
}

/**
 * An empty rest is allowed.
 * @returns true when the bytes after the line are a negotiation request, with or without correlation info
 */
function isNegotiation(bytes: Buffer): boolean {
  if (bytes.length < negotiationBytes) {
    return bytes.length === 0;
  }
  const [type, flags = 0] = bytes;
  const protocols = bytes.readUInt32LE(4);
  const isRequest = type === 1 && bytes.readUInt16LE(2) === negotiationBytes;
  if (!isRequest || (flags & ~knownFlags) !== 0 || (protocols & ~knownProtocols) !== 0) {
    return false;
  }
  const rest = bytes.subarray(negotiationBytes);
  if ((flags & correlationFollows) === 0) {
    return rest.length === 0;
  }
  return rest.length >= correlationBytes && rest[0] === 6 && rest.readUInt16LE(2) === correlationBytes;
}

/**
 * Reads the request. Bytes 0 and 1 reveal another protocol; otherwise the matcher waits for more bytes until
 * the length in bytes 2 and 3 has arrived. More bytes mean another protocol, because an RDP client waits for
 * the answer.
 * @returns undefined while the request is incomplete, "none" for another protocol
 */
export function readRdpRequest(bytes: Buffer): RdpRequest | "none" | undefined {
  if ((bytes.length > 0 && bytes[0] !== 3) || (bytes.length > 1 && bytes[1] !== 0)) {
    return "none";
  }
  if (bytes.length < headBytes) {
    return undefined;
  }
  const length = bytes.readUInt16BE(2);
  const isRequest = bytes[5] === 0xe0 && bytes.readUIntBE(6, 5) === 0;
  // Without a cookie line or a negotiation it may be another protocol over X.224.
  if (!isRequest || bytes[4] !== length - 5 || length === headBytes || bytes.length > length) {
    return "none";
  }
  if (bytes.length < length) {
    return undefined;
  }
  const payload = bytes.subarray(headBytes);
  const end = payload.indexOf("\r\n");
  const line = end < 0 ? "" : payload.toString("latin1", 0, end);
  return isNegotiation(end < 0 ? payload : payload.subarray(end + 2)) ? { line } : "none";
}

/** Server address that a load balancer chose earlier. */
interface Token {
  readonly ip: string;
  readonly port: number;
}

/**
 * Parses the address of a routing token, whose numbers have reversed bytes: `Cookie: msts=16777343.15629.0000` is
 * 127.0.0.1, port 3389.
 * @returns undefined for another line
 */
function readToken(line: string): Token | undefined {
  const [, ip = "", port = ""] = /Cookie: msts=(\d{1,10})\.(\d{1,5})\.0000$/.exec(line) ?? [];
  const [ipNumber, portNumber] = [Number(ip), Number(port)];
  if (ip === "" || ipNumber > 0xff_ff_ff_ff || portNumber > 0xff_ff) {
    return undefined;
  }
  const bytes = [0, 8, 16, 24].map((shift) => (ipNumber >>> shift) & 0xff);
  return { ip: bytes.join("."), port: ((portNumber & 0xff) << 8) | (portNumber >>> 8) };
}

const text = (what: string) => z.string().nullish().describe(`${what} (any).`);

/** Each rule tests one kind of line. Members for two kinds never match together. */
const configSchema = z.strictObject({
  cookie_hash: text("User name in the cookie `mstshash`, as the client cuts it"),
  cookie_hash_regexp: text("Expression for that name, RE2"),
  cookie_ips: z
    .array(z.string())
    .nullish()
    .describe("Addresses or CIDR ranges of which the routing token `msts` names one (any)."),
  cookie_ports: z
    .array(z.int().min(0).max(65_535))
    .nullish()
    .describe("Ports of which the routing token names one (any)."),
  custom_info: text("The whole line, of clients that send a text of their own there"),
  custom_info_regexp: text("Expression for that line, RE2"),
});

/**
 * Compiles a text, an expression, or neither. Without both, `isAsked` is false and every line matches.
 * @throws ServerError MODULE_CONFIG
 */
function compileText(exact: string | null | undefined, pattern: string | null | undefined) {
  const regexp = pattern ? new LinearRegexp(replaceAll(pattern)) : undefined;
  const isAsked = Boolean(exact) || regexp !== undefined;
  const fits = (value: string, connection: Connection) =>
    (!exact || connection.fill(exact) === value) && regexp?.test(value) !== false;
  return { isAsked, fits };
}

/**
 * Matches RDP by the optional line of its first message. It sets `{l4.rdp.cookie_hash}`, `{l4.rdp.cookie_ip}` and
 * `{l4.rdp.cookie_port}`, or `{l4.rdp.custom_info}`. Source: caddy-l4, `layer4.matchers.rdp`
 */
export const rdpMatcher = defineModule({
  id: "layer4.matchers.rdp",
  config: configSchema,
  provision(config): Matcher {
    const hash = compileText(config.cookie_hash, config.cookie_hash_regexp);
    const custom = compileText(config.custom_info, config.custom_info_regexp);
    const ips = config.cookie_ips?.length ? new IpRanges(config.cookie_ips) : undefined;
    const ports = config.cookie_ports?.length ? config.cookie_ports : undefined;
    const lineFits = (line: string, connection: Connection): boolean => {
      if (line.startsWith(cookieStart) && line.length > cookieStart.length) {
        const name = line.slice(cookieStart.length);
        connection.setValue("l4.rdp.cookie_hash", name);
        return hash.fits(name, connection) && !ips && !ports && !custom.isAsked;
      }
      const token = readToken(line);
      if (token !== undefined) {
        connection.setValue("l4.rdp.cookie_ip", token.ip);
        connection.setValue("l4.rdp.cookie_port", String(token.port));
        const isInside = ips?.contains(token.ip) !== false && ports?.includes(token.port) !== false;
        return isInside && !hash.isAsked && !custom.isAsked;
      }
      if (line !== "") {
        connection.setValue("l4.rdp.custom_info", line);
      }
      const isOther = hash.isAsked || ips !== undefined || ports !== undefined;
      return !isOther && (line === "" ? !custom.isAsked : custom.fits(line, connection));
    };
    return {
      matches(connection) {
        const request = readRdpRequest(connection.bytes);
        if (request === undefined || request === "none") {
          return request === undefined ? undefined : false;
        }
        return lineFits(request.line, connection);
      },
    };
  },
});
