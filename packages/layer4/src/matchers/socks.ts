// Matches SOCKS by its first message. Sources: "SOCKS: A protocol for TCP proxy across firewalls" (4), RFC 1928 (5)

import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { IpRanges } from "server-core/net/ip-ranges";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";

const commandNumbers: Readonly<Record<string, number>> = { CONNECT: 1, BIND: 2 };
/** Length of version, command, port and address in a version 4 request. */
const headBytes = 8;

/**
 * Matches SOCKS version 4 by command, address and port. It waits until 8 bytes have arrived:
 *
 * | offset | bytes | meaning |
 * |---|---|---|
 * | 0 | 1 | 4, the version |
 * | 1 | 1 | 1 CONNECT, 2 BIND |
 * | 2 | 2 | port |
 * | 4 | 4 | IPv4 address; 0.0.0.x in version 4a, whose name follows |
 *
 * Source: caddy-l4, `layer4.matchers.socks4`
 */
export const socks4Matcher = defineModule({
  id: "layer4.matchers.socks4",
  config: z.strictObject({
    commands: z.array(z.string()).nullish().describe("CONNECT, BIND (both)."),
    networks: z.array(z.string()).nullish().describe("Addresses or CIDR ranges that may be asked for (any)."),
    ports: z.array(z.int().min(0).max(65_535)).nullish().describe("Ports that may be asked for (any)."),
  }),
  provision(config): Matcher {
    const named = config.commands?.length ? config.commands : Object.keys(commandNumbers);
    const commands = named.map((text) => {
      const number = commandNumbers[replaceAll(text).toUpperCase()];
      if (number === undefined) {
        throw new ServerError(
          "MODULE_CONFIG",
          `socks4: command ${JSON.stringify(text)} is not CONNECT or BIND`,
        );
      }
      return number;
    });
    const networks = config.networks?.length ? new IpRanges(config.networks) : undefined;
    const ports = config.ports?.length ? config.ports : undefined;
    return {
      matches({ bytes }) {
        if (bytes.length > 0 && bytes[0] !== 4) {
          return false;
        }
        if (bytes.length < headBytes) {
          return undefined;
        }
        const address = bytes.subarray(4, headBytes).join(".");
        return (
          commands.includes(bytes[1] as number) &&
          ports?.includes(bytes.readUInt16BE(2)) !== false &&
          networks?.contains(address) !== false
        );
      },
    };
  },
});

/**
 * Matches SOCKS version 5 by the offered authentication methods: byte 0 is 5, byte 1 the number of methods, then one
 * byte for each. The matcher waits for all of them. Each method must be in `auth_methods`.
 * Source: caddy-l4, `layer4.matchers.socks5`
 */
export const socks5Matcher = defineModule({
  id: "layer4.matchers.socks5",
  config: z.strictObject({
    auth_methods: z
      .array(z.int().min(0).max(255))
      .nullish()
      .describe("Numbers of the methods; the client may offer no other (0, 1, 2)."),
  }),
  provision(config): Matcher {
    const methods = config.auth_methods?.length ? config.auth_methods : [0, 1, 2];
    return {
      matches({ bytes }) {
        if (bytes.length > 0 && bytes[0] !== 5) {
          return false;
        }
        const count = bytes[1];
        if (count === undefined || bytes.length < 2 + count) {
          return undefined;
        }
        return bytes.subarray(2, 2 + count).every((method) => methods.includes(method));
      },
    };
  },
});
