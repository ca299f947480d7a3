import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiV2Transcoder } from "../api-v2/api-v2-transcoder.ts";
import { WireError } from "../errors.ts";
import { PostSpansRequest } from "../gen/tracing/api_v2/collector.ts";
import { WriteSpanRequest } from "../gen/tracing/storage/v1/storage.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { WriteSpanTranscoder } from "../storage-v1/write-span-transcoder.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { batchOfAgent } from "../testing/batch-of-agent.ts";
import { damagedMessage, randomOf } from "../testing/damaged-message.ts";
import { encodeAgentPacket, encodeThriftBatch } from "../testing/encode-agent-packet.ts";
import { thriftBatchArbitrary } from "../testing/thrift-batch-arbitrary.ts";
import { isWrittenAgain } from "../testing/written-again.ts";
import { ThriftBatchTranscoder } from "../thrift/thrift-batch-transcoder.ts";
import { AgentPacketReader } from "./agent-packet-reader.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run …`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 2_000);
const timeoutMs = 20_000 + rounds * 2;
/** In every tenth round, a reader that has read earlier messages is compared with a new reader. */
const freshEvery = 10;

type Read = (message: Buffer) => Uint8Array;

function rowsOf(transcoder: MessageTranscoder): Read {
  let calls = 0;
  return (message) => {
    const { rows } = transcoder.transcode(message);
    expect(readSpanRows(rows.bytes).length).toBe(rows.count);
    if (calls++ % freshEvery === 0) {
      expect(isWrittenAgain(rows)).toBe(true);
    }
    return rows.bytes;
  };
}

function batchesOf(reader: AgentPacketReader): Read {
  return (packet) => {
    const batches = reader.read(packet);
    for (const batch of batches) {
      expect(batchOfAgent(batch).spans.length).toBe(batch.spanCount);
    }
    return Buffer.concat(batches.flatMap(({ process, spans }) => [process, spans]));
  };
}

const batches = fc.sample(
  thriftBatchArbitrary.filter(({ spans }) => spans.length > 0),
  { seed: 31, numRuns: 40 },
);
const apiV2Batches = fc.sample(
  batchArbitrary.filter(({ spans }) => spans.length > 0),
  { seed: 32, numRuns: 40 },
);
const requests = apiV2Batches.map((batch) => PostSpansRequest.encode({ batch }).finish());
const writeSpanRequests = apiV2Batches.flatMap(({ spans }) =>
  spans.map((span) => WriteSpanRequest.encode({ span }).finish()),
);

test.each<[name: string, open: () => Read, messages: readonly Uint8Array[]]>([
  ["PostSpans requests", () => rowsOf(new ApiV2Transcoder()), requests],
  ["WriteSpan requests", () => rowsOf(new WriteSpanTranscoder()), writeSpanRequests],
  [
    "Thrift batches",
    () => rowsOf(new ThriftBatchTranscoder()),
    batches.map((batch) => encodeThriftBatch(batch, "binary")),
  ],
  [
    "compact packets",
    () => batchesOf(new AgentPacketReader("compact")),
    batches.map((batch) => encodeAgentPacket(batch, "compact")),
  ],
  [
    "binary packets",
    () => batchesOf(new AgentPacketReader("binary")),
    batches.map((batch) => encodeAgentPacket(batch, "binary")),
  ],
])(
  "answers damaged %s with good spans or a WireError, never otherwise",
  (_name, open, messages) => {
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

/** The resulting bytes, or the code of the error. */
function outcomeOf(read: Read, message: Buffer): string {
  try {
    return Buffer.from(read(message)).toString("latin1");
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw new Error(message.toString("hex"), { cause: error });
  }
}
