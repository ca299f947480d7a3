import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { Batch } from "../gen/tracing/api_v2/model.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { damagedMessage, randomOf } from "../testing/damaged-message.ts";
import { isWrittenAgain } from "../testing/written-again.ts";
import { BinaryCursor } from "../thrift/binary-cursor.ts";
import { CompactCursor } from "../thrift/compact-cursor.ts";
import { readZipkinBatchArguments } from "../thrift/decode-zipkin-spans.ts";
import { zipkinCoreSpansToApiV2 } from "./zipkin-core-spans-to-api-v2.ts";
import { ZipkinV1JsonTranscoder } from "./zipkin-v1-json-transcoder.ts";
import { ZipkinV1ThriftTranscoder } from "./zipkin-v1-thrift-transcoder.ts";
import { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run …`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);
const timeoutMs = 20_000 + rounds * 2;
/** In every tenth round, a transcoder that has read earlier messages is compared with a new one. */
const freshEvery = 10;

interface Case {
  readonly format: string;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyHex?: string;
}
const corpus = JSON.parse(
  readFileSync(new URL("zipkin-corpus.json", import.meta.url), "utf8"),
) as readonly Case[];

function readPacket(packet: Buffer, cursor: BinaryCursor | CompactCursor): Buffer {
  cursor.open(packet);
  cursor.message();
  const batches = zipkinCoreSpansToApiV2(readZipkinBatchArguments(cursor));
  return Buffer.concat(batches.map((batch) => Batch.encode(batch).finish()));
}

const now = { nowUnixNano: () => 1n };
/** Each function creates a reader, which returns bytes. */
const formats: Record<string, () => (message: Buffer) => Uint8Array> = {
  "v1-json": () => rowsOf(new ZipkinV1JsonTranscoder(now)),
  "v1-thrift": () => rowsOf(new ZipkinV1ThriftTranscoder()),
  "v2-json": () => rowsOf(new ZipkinV2JsonTranscoder()),
  "v2-proto": () => rowsOf(new ZipkinV2ProtoTranscoder()),
  "agent-compact": () => (packet) => readPacket(packet, new CompactCursor()),
  "agent-binary": () => (packet) => readPacket(packet, new BinaryCursor()),
};

function rowsOf(transcoder: MessageTranscoder) {
  let calls = 0;
  return (message: Buffer) => {
    const { rows } = transcoder.transcode(message);
    expect(readSpanRows(rows.bytes).length).toBe(rows.count);
    if (calls++ % freshEvery === 0) {
      expect(isWrittenAgain(rows)).toBe(true);
    }
    return rows.bytes;
  };
}

function outcomeOf(read: (message: Buffer) => Uint8Array, message: Buffer): string {
  try {
    return Buffer.from(read(message)).toString("latin1");
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw new Error(message.toString("hex"), { cause: error });
  }
}

test.each(Object.entries(formats))(
  "answers damaged %s with good rows or a WireError, never otherwise",
  (format, open) => {
    const messages = corpus
      .filter((one) => one.format === format)
      .map(({ body, bodyText, bodyHex }) =>
        bodyHex === undefined ? Buffer.from(bodyText ?? JSON.stringify(body)) : Buffer.from(bodyHex, "hex"),
      )
      .filter(({ length }) => length > 0);
    const random = randomOf(2026);
    const kept = open();
    const seen = { good: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const message = damagedMessage(messages, random);
      const outcome = outcomeOf(kept, message);
      if (round % freshEvery === 0) {
        expect(outcomeOf(open(), message)).toBe(outcome);
      }
      if (outcome.startsWith("WIRE_")) {
        seen.refused++;
      } else {
        seen.good++;
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 20);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
