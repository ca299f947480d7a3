// The result of Jaeger 1.62 for each message of the corpus: its answer, and the spans that its query service returns
// afterwards.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fromApiV2Batch } from "../api-v2/from-api-v2-batch.ts";
import { toApiV2Span } from "../api-v2/to-api-v2-span.ts";
import { WireError } from "../errors.ts";
import type { Span } from "../model/span.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { type SpanSummary, spanSummaries } from "../testing/span-summary.ts";
import { BinaryCursor } from "../thrift/binary-cursor.ts";
import { CompactCursor } from "../thrift/compact-cursor.ts";
import { readZipkinBatchArguments } from "../thrift/decode-zipkin-spans.ts";
import { zipkinCoreSpansToApiV2 } from "./zipkin-core-spans-to-api-v2.ts";
import { ZipkinV1JsonTranscoder } from "./zipkin-v1-json-transcoder.ts";
import { ZipkinV1ThriftTranscoder } from "./zipkin-v1-thrift-transcoder.ts";
import { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";

interface Case {
  readonly name: string;
  readonly format: keyof typeof transcoders | "agent-compact" | "agent-binary";
  /** The message, in one of these three forms. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyHex?: string;
  /** Status of the answer; absent for UDP. */
  readonly status?: number;
  readonly text?: string;
  readonly spans: readonly SpanSummary[];
  /** Reason why our answer differs. */
  readonly differs?: string;
}

const transcoders = {
  "v1-json": new ZipkinV1JsonTranscoder(),
  "v1-thrift": new ZipkinV1ThriftTranscoder(),
  "v2-json": new ZipkinV2JsonTranscoder(),
  "v2-proto": new ZipkinV2ProtoTranscoder(),
} satisfies Record<string, MessageTranscoder>;

const corpus = JSON.parse(
  readFileSync(new URL("zipkin-corpus.json", import.meta.url), "utf8"),
) as readonly Case[];

function bytesOf({ body, bodyText, bodyHex }: Case): Buffer {
  if (bodyHex !== undefined) {
    return Buffer.from(bodyHex, "hex");
  }
  return Buffer.from(bodyText ?? JSON.stringify(body));
}

function decode(format: Case["format"], bytes: Buffer): Span[] {
  if (format !== "agent-compact" && format !== "agent-binary") {
    return readSpanRows(transcoders[format].transcode(bytes).rows.bytes);
  }
  const cursor = format === "agent-compact" ? new CompactCursor() : new BinaryCursor();
  cursor.open(bytes);
  cursor.message();
  return zipkinCoreSpansToApiV2(readZipkinBatchArguments(cursor)).flatMap((batch) =>
    fromApiV2Batch(batch, "proto"),
  );
}

function ours(one: Case): Pick<Case, "status" | "text" | "spans"> {
  const overUdp = one.format.startsWith("agent");
  try {
    const spans = spanSummaries(decode(one.format, bytesOf(one)).map(toApiV2Span));
    return overUdp ? { spans } : { status: 202, spans };
  } catch (error) {
    if (!(error instanceof WireError)) {
      throw error;
    }
    return overUdp ? { spans: [] } : { status: 400, text: error.message, spans: [] };
  }
}

function theirs({ status, text, spans }: Case): Pick<Case, "status" | "text" | "spans"> {
  return { ...(status !== undefined && { status }), ...(text !== undefined && { text }), spans };
}

describe.each(Object.entries(Object.groupBy(corpus, ({ format }) => format)))("%s", (_, cases = []) => {
  test.each(cases.filter(({ differs }) => differs === undefined))("$name: as the public model", (one) => {
    expect(ours(one)).toEqual(theirs(one));
  });

  const others = cases.filter(({ differs }) => differs !== undefined);
  if (others.length > 0) {
    test.each(others)("$name: otherwise than the public model: $differs", (one) => {
      expect(ours(one)).not.toEqual(theirs(one));
    });
  }
});
