import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { filled, filledText } from "../../api/filled-text.ts";
import { type ZoneApi, zoneProvider } from "../../api/zone-provider.ts";
import {
  codeName,
  type DnsAnswer,
  readAnswer,
  recordTypes,
  soaQuestion,
  updateMessage,
} from "./dns-message.ts";
import { checkSignature, signMessage, type TsigKey, tsigAlgorithms } from "./tsig.ts";

const defaultPort = 53;
const timeoutMs = 15_000;

const configSchema = z.strictObject({
  server: filledText("Address of the primary server of the zone, with a port if it is not 53."),
  key_name: filledText("Name of the TSIG key."),
  key_alg: filledText(`Algorithm of the key: ${Object.keys(tsigAlgorithms).join(", ")}.`),
  key: filledText("The key, base64."),
});

interface Address {
  readonly host: string;
  readonly port: number;
}

/** @throws ServerError MODULE_CONFIG */
function readAddress(text: string): Address {
  const [, bracketed, host = bracketed, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined || Number(port ?? defaultPort) > 65_535) {
    throw new ServerError("MODULE_CONFIG", `server ${JSON.stringify(text)} is no host or host:port`);
  }
  return { host, port: Number(port ?? defaultPort) };
}

/** Sends one message over TCP and reads the answer. @throws ServerError ACME */
async function exchange({ host, port }: Address, message: Buffer): Promise<Buffer> {
  const socket = connect({ host, port });
  const timer = setTimeout(
    () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    await once(socket, "connect");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk]); // the length has two bytes, so the buffer stays small
      const end = received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE(0);
      if (received.length >= end) {
        return received.subarray(2, end);
      }
    }
    throw new Error("the connection ended without an answer");
  } catch (error) {
    throw new ServerError("ACME", `rfc2136: ${host}:${port}: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Changes records of a server by messages that a key signs. Source: RFC 2136, RFC 8945 */
export function rfc2136Api(address: Address, key: TsigKey): ZoneApi<string> {
  const name = "rfc2136";
  const ask = async (message: Buffer): Promise<DnsAnswer> => {
    const signed = signMessage(message, key);
    const bytes = await exchange(address, signed.message);
    const answer = readAnswer(bytes);
    if (answer.id !== message.readUInt16BE(0)) {
      throw new ServerError("ACME", "rfc2136: an answer to another question");
    }
    checkSignature(bytes, answer, key, signed.mac);
    return answer;
  };
  const change = async (
    zone: string,
    record: Parameters<ZoneApi<string>["add"]>[1],
    ttl: number | undefined,
  ) => {
    const { code } = await ask(updateMessage(newId(), zone, record, ttl));
    if (code !== 0) {
      throw new ServerError(
        "ACME",
        `rfc2136: the server refuses to change ${record.name}: ${codeName(code)}`,
      );
    }
  };
  return {
    name,
    async zone(zone) {
      // A server without the zone refuses the question or sends no SOA record; then a shorter name may be the zone.
      const { answers } = await ask(soaQuestion(newId(), zone));
      const isThere = answers.some((record) => record.type === recordTypes.SOA && record.name === zone);
      return isThere ? zone : undefined;
    },
    add: (zone, record) => change(zone, record, record.ttlSeconds),
    remove: (zone, record) => change(zone, record, undefined),
  };
}

const newId = () => randomInt(0x10000);

export const rfc2136Provider = defineModule({
  id: "dns.providers.rfc2136",
  config: configSchema,
  provision(given) {
    const config = filled(given, ["key", "key_name", "key_alg", "server"]);
    const algorithm = config.key_alg.toLowerCase().replace(/\.$/, "");
    if (!Object.hasOwn(tsigAlgorithms, algorithm)) {
      const known = Object.keys(tsigAlgorithms).join(", ");
      throw new ServerError("MODULE_CONFIG", `key_alg ${JSON.stringify(config.key_alg)} is none of ${known}`);
    }
    const secret = Buffer.from(config.key, "base64");
    if (secret.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(config.key)) {
      throw new ServerError("MODULE_CONFIG", "key is not base64");
    }
    const name = config.key_name.toLowerCase().replace(/\.$/, "");
    return zoneProvider(rfc2136Api(readAddress(config.server), { name, algorithm, secret }));
  },
});
