import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { Facts, Field } from "../twin-case.ts";
import { ownPage } from "./own-pages.ts";

/** One answer, from any version of HTTP. */
export interface Answer {
  readonly status: string;
  readonly fields: readonly Field[];
  readonly body: Buffer;
  readonly trailers: readonly Field[];
  /** Framing of the body; for HTTP/2 always `frames`. */
  readonly framing: string;
  readonly isComplete: boolean;
}

/** Fields that belong to the connection, or that differ between any two servers. */
const ignored = new Set(["date", "keep-alive"]);

function decoded(body: Buffer, coding: string): Buffer {
  if (body.length === 0) {
    return body;
  }
  try {
    switch (coding) {
      case "gzip":
        return gunzipSync(body);
      case "deflate":
        return inflateSync(body);
      case "br":
        return brotliDecompressSync(body);
      case "zstd":
        return zstdDecompressSync(body);
      default:
        return body;
    }
  } catch {
    return Buffer.concat([Buffer.from(`cannot be decoded as ${coding}: `), body]);
  }
}

/** A long body as its length and a part of it, so that a difference stays readable. */
export function bodyFact(body: Buffer): string {
  const text = body.toString("latin1");
  if (text.length <= 4_000) {
    return text;
  }
  let sum = 0;
  for (const byte of body) {
    sum = (sum * 31 + byte) >>> 0;
  }
  return `${text.slice(0, 1_000)}… ${text.length} bytes, ${sum.toString(16)}`;
}

function fieldFacts(prefix: string, fields: readonly Field[], skip: ReadonlySet<string>): [string, string][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const lower = name.toLowerCase();
    if (!skip.has(lower)) {
      values.set(lower, [...(values.get(lower) ?? []), value]);
    }
  }
  return [...values].map(([name, list]) => [`${prefix}${name}`, list.join("\n")]);
}

/** Compared parts of an answer. @param prefix prefix of the names of the facts */
export function answerFacts(prefix: string, answer: Answer): Facts {
  const { status, fields, body, trailers, framing, isComplete } = answer;
  const coding = fields.find(([name]) => name.toLowerCase() === "content-encoding")?.[1] ?? "";
  // Two compressors produce different lengths, and so do two boundaries of multipart bodies.
  const type = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const boundary = /^multipart\/byteranges; boundary=(\w+)/.exec(type)?.[1];
  const plainBody = decoded(body, isComplete ? coding : "");
  const page = ownPage(plainBody.toString("latin1"));
  const varies = (coding !== "" && isComplete) || boundary !== undefined || page !== undefined;
  const plain = (text: string) => (boundary === undefined ? text : text.replaceAll(boundary, "BOUNDARY"));
  const skip = varies ? new Set([...ignored, "content-length", "transfer-encoding"]) : ignored;
  const facts: [string, string][] = [
    [`${prefix}status`, status],
    ...fieldFacts(`${prefix}field.`, fields, skip).map(([name, value]): [string, string] => [
      name,
      plain(value),
    ]),
    [`${prefix}body`, page ?? plain(bodyFact(plainBody))],
    [`${prefix}framing`, varies && framing === "length" ? "chunked" : framing],
    ...fieldFacts(`${prefix}trailer.`, trailers, ignored),
  ];
  if (!isComplete) {
    facts.push([`${prefix}complete`, "no"]);
  }
  return Object.fromEntries(facts);
}
