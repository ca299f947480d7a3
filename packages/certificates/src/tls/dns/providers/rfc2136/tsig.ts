import { createHmac, timingSafeEqual } from "node:crypto";
import { ServerError } from "server-core/errors";
import { classes, codeName, type DnsAnswer, encodeName, readName, recordTypes } from "./dns-message.ts";

/** Names of the algorithms in DNS messages, and in `node:crypto`. Source: RFC 8945, 6 */
export const tsigAlgorithms: Readonly<Record<string, { readonly wire: string; readonly hash: string }>> = {
  "hmac-md5": { wire: "hmac-md5.sig-alg.reg.int", hash: "md5" },
  "hmac-sha1": { wire: "hmac-sha1", hash: "sha1" },
  "hmac-sha224": { wire: "hmac-sha224", hash: "sha224" },
  "hmac-sha256": { wire: "hmac-sha256", hash: "sha256" },
  "hmac-sha384": { wire: "hmac-sha384", hash: "sha384" },
  "hmac-sha512": { wire: "hmac-sha512", hash: "sha512" },
};

/** Allowed difference between the clocks, in seconds. Source: RFC 8945, 10, its recommendation */
const fudgeSeconds = 300;
const additionalCountAt = 10;

/** A secret that a client and a DNS server share. */
export interface TsigKey {
  /** Name of the key, without a final dot. */
  readonly name: string;
  /** Algorithm of the key. The server must know the key under the same name and with the same algorithm. */
  readonly algorithm: keyof typeof tsigAlgorithms & string;
  /** Secret key as bytes; configs contain it in base64. */
  readonly secret: Buffer;
}

export interface SignedMessage {
  /** The signed message, with the TSIG record at the end. */
  readonly message: Buffer;
  /** Needed to check the answer. */
  readonly mac: Buffer;
}

function fields(key: TsigKey, timeAndFudge: Buffer, error: number, other: Buffer): Buffer {
  const end = Buffer.alloc(4);
  end.writeUInt16BE(error, 0);
  end.writeUInt16BE(other.length, 2);
  return Buffer.concat([
    encodeName(key.name),
    Buffer.from([0, classes.ANY, 0, 0, 0, 0]),
    encodeName(tsigAlgorithms[key.algorithm]?.wire ?? ""),
    timeAndFudge,
    end,
    other,
  ]);
}

function hmac(key: TsigKey, parts: readonly Buffer[]): Buffer {
  const made = createHmac(tsigAlgorithms[key.algorithm]?.hash ?? "", key.secret);
  for (const part of parts) {
    made.update(part);
  }
  return made.digest();
}

/** Signs a message without additional records. Source: RFC 8945, 4.2 and 4.3 */
export function signMessage(
  message: Buffer,
  key: TsigKey,
  nowSeconds = Math.floor(Date.now() / 1000),
): SignedMessage {
  const timeAndFudge = Buffer.alloc(8);
  timeAndFudge.writeUIntBE(nowSeconds, 0, 6);
  timeAndFudge.writeUInt16BE(fudgeSeconds, 6);
  const mac = hmac(key, [message, fields(key, timeAndFudge, 0, Buffer.alloc(0))]);
  const macLength = Buffer.alloc(2);
  macLength.writeUInt16BE(mac.length);
  const data = Buffer.concat([
    encodeName(tsigAlgorithms[key.algorithm]?.wire ?? ""),
    timeAndFudge,
    macLength,
    mac,
    message.subarray(0, 2), // the id of the request
    Buffer.alloc(4), // error code 0 and no other data
  ]);
  const lengths = Buffer.alloc(10);
  lengths.writeUInt16BE(recordTypes.TSIG, 0);
  lengths.writeUInt16BE(classes.ANY, 2);
  lengths.writeUInt16BE(data.length, 8);
  const signed = Buffer.concat([message, encodeName(key.name), lengths, data]);
  signed.writeUInt16BE(message.readUInt16BE(additionalCountAt) + 1, additionalCountAt);
  return { message: signed, mac };
}

/**
 * Checks that the response was signed with the key, and that its time is close to now. Source: RFC 8945, 5.3
 * @throws ServerError ACME
 */
export function checkSignature(bytes: Buffer, answer: DnsAnswer, key: TsigKey, requestMac: Buffer): void {
  const last = answer.additional.at(-1);
  if (last?.type !== recordTypes.TSIG) {
    throw new ServerError("ACME", `rfc2136: an answer without a signature${because(answer.code)}`);
  }
  let at = readName(last.data, 0).next;
  const timeAndFudge = last.data.subarray(at, at + 8);
  const macLength = last.data.readUInt16BE(at + 8);
  at += 10;
  const mac = last.data.subarray(at, at + macLength);
  at += macLength;
  const id = last.data.subarray(at, at + 2);
  const error = last.data.readUInt16BE(at + 2);
  const other = last.data.subarray(at + 6);
  if (error !== 0) {
    throw new ServerError("ACME", `rfc2136: the server refuses the key ${key.name}: ${codeName(error)}`);
  }
  const unsigned = Buffer.from(bytes.subarray(0, last.at));
  unsigned.set(id, 0);
  unsigned.writeUInt16BE(unsigned.readUInt16BE(additionalCountAt) - 1, additionalCountAt);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(requestMac.length);
  const right = hmac(key, [length, requestMac, unsigned, fields(key, timeAndFudge, error, other)]);
  if (mac.length !== right.length || !timingSafeEqual(mac, right)) {
    throw new ServerError("ACME", "rfc2136: an answer with a wrong signature");
  }
  const apart = Math.abs(timeAndFudge.readUIntBE(0, 6) - Date.now() / 1000);
  if (apart > timeAndFudge.readUInt16BE(6)) {
    throw new ServerError("ACME", `rfc2136: the server's clock is ${Math.round(apart)} s from ours`);
  }
}

const because = (code: number) => (code === 0 ? "" : `: ${codeName(code)}`);
