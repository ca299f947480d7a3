// Bytes of the message:
//
// | offset | bytes | meaning |
// |---|---|---|
// | 0 | 1 | length of the first chunk |
// | 1 | 1 | 06: the first chunk; ff: a later chunk |
// | 2 | up to 255 | name, `+r` for RoMON, a zero byte, 32 bytes of a key, 0 or 1 |
//
// A chunk of 255 bytes is followed by another chunk, with its length and type.
//
// The first message of Winbox, MikroTik's tool. The protocol is not documented by MikroTik.
// Source: caddy-l4, `layer4.matchers.winbox`; github.com/MarginResearch/mikrotik_authentication

import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";

/** Type byte of the first chunk. */
const authChunk = 0x06;
/** Type byte of all further chunks. */
const nextChunk = 0xff;
const largestChunk = 255;
const keyBytes = 32;
/** Minimum message length: a name of one byte, a zero byte, the key and its parity. */
const shortestMessage = 1 + 1 + keyBytes + 1;
/**
 * Maximum number of bytes of the name. A longer name does not match. Source: caddy-l4, `MessageAuthUsernameBytesMax`
 */
const longestName = 255;
/** Maximum number of bytes of the message: name, RoMON mark, zero byte, key and parity. */
const longestMessage = longestName + 2 + 1 + keyBytes + 1;
/** Suffix of the name when a client wants to reach the router's neighbors. */
const romonMark = "+r";
/** Matches a valid name. Another form means another protocol. */
const userName = /^[0-9A-Za-z](?:[-#.0-9@A-Z_a-z]*[0-9A-Za-z])?$/;

/** The parsed first message. */
interface WinboxRequest {
  /** Name without the RoMON mark. */
  readonly username: string;
  /** `standard`: the router. `romon`: neighbours, through the router. */
  readonly mode: "standard" | "romon";
}

/**
 * Joins chunks: each has a length, a type, and this number of bytes; a chunk of 255 bytes is followed by another.
 * @returns undefined while a chunk is incomplete, "none" for an invalid chunk or for bytes after the last chunk
 */
function joinChunks(bytes: Buffer): Buffer | "none" | undefined {
  const parts: Buffer[] = [];
  for (let start = 0, total = 0; ; ) {
    const [length, type] = [bytes[start], bytes[start + 1]];
    if (length === 0 || (length !== undefined && parts.length === 0 && length < shortestMessage)) {
      return "none";
    }
    if (type !== undefined && type !== (parts.length === 0 ? authChunk : nextChunk)) {
      return "none";
    }
    total += length ?? 0;
    if (total > longestMessage) {
      return "none";
    }
    if (length === undefined || type === undefined || bytes.length < start + 2 + length) {
      return undefined;
    }
    parts.push(bytes.subarray(start + 2, start + 2 + length));
    start += 2 + length;
    if (length < largestChunk) {
      return start === bytes.length ? Buffer.concat(parts) : "none";
    }
  }
}

/**
 * Parses name and mode. The first two bytes reveal most other protocols; otherwise the matcher waits until the chunks
 * are complete.
 * @returns undefined while the request is incomplete, "none" for another protocol
 */
export function readWinboxRequest(bytes: Buffer): WinboxRequest | "none" | undefined {
  const message = joinChunks(bytes);
  if (message === undefined || message === "none") {
    return message;
  }
  const end = message.indexOf(0);
  const parity = message.at(-1) as number;
  if (end < 0 || message.length !== end + 1 + keyBytes + 1 || parity > 1) {
    return "none";
  }
  const name = message.toString("latin1", 0, end);
  const mode = name.endsWith(romonMark) ? "romon" : "standard";
  const username = mode === "romon" ? name.slice(0, -romonMark.length) : name;
  return username.length <= longestName && userName.test(username) ? { username, mode } : "none";
}

/** Modes in lower case. @throws ServerError MODULE_CONFIG for an unknown one */
function readModes(modes: readonly string[]): readonly string[] {
  return modes.map((text) => {
    const mode = replaceAll(text).toLowerCase();
    if (mode !== "standard" && mode !== "romon") {
      throw new ServerError(
        "MODULE_CONFIG",
        `winbox: mode ${JSON.stringify(text)} is neither standard nor romon`,
      );
    }
    return mode;
  });
}

/** Matches Winbox by mode and user name. */
export const winboxMatcher = defineModule({
  id: "layer4.matchers.winbox",
  config: z.strictObject({
    modes: z
      .array(z.string())
      .nullish()
      .describe("`standard`; `romon`: the router leads to its neighbours (both)."),
    username: z.string().nullish().describe("The name that the client gives (any)."),
    username_regexp: z
      .string()
      .nullish()
      .describe("Expression for that name, RE2, where `username` is empty (any)."),
  }),
  provision({ modes, username, username_regexp: pattern }): Matcher {
    const accepted = modes?.length ? readModes(modes) : ["standard", "romon"];
    const regexp = pattern ? new LinearRegexp(replaceAll(pattern)) : undefined;
    return {
      matches(connection) {
        const request = readWinboxRequest(connection.bytes);
        if (request === undefined || request === "none") {
          return request === undefined ? undefined : false;
        }
        const exact = username ? connection.fill(username) : "";
        const fits = exact === "" ? regexp?.test(request.username) !== false : exact === request.username;
        if (!fits || !accepted.includes(request.mode)) {
          return false;
        }
        connection.setValue("l4.winbox.username", request.username);
        return true;
      },
    };
  },
});
