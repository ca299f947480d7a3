/**
 * `zipkin-transcode/100`: spans per CPU-second from Zipkin v2 JSON (in messages of 100, 10 and 1 spans) and protobuf to
 * rows, and from objects to both. Run: `node packages/bench/src/micro/zipkin-transcode.ts [seconds]`; one process,
 * nothing else is measured.
 */

import { readSpanRows } from "wire/rows";
import { encodeZipkinV2Json, encodeZipkinV2Proto } from "wire/testing/encode-zipkin-v2";
import { ZipkinV2JsonTranscoder, ZipkinV2ProtoTranscoder } from "wire/zipkin";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";
import { zipkinV2JsonRequest } from "./zipkin-request.ts";

const seconds = Number(process.argv[2] ?? 3);
const spanCount = 100;
const json = new ZipkinV2JsonTranscoder();
const proto = new ZipkinV2ProtoTranscoder();

const spans = readSpanRows(json.transcode(zipkinV2JsonRequest(spanCount)).rows.bytes);
const protoRequest = encodeZipkinV2Proto(spans);

console.log(
  `JSON ${Math.round(zipkinV2JsonRequest(spanCount).length / spanCount)} bytes/span, ` +
    `protobuf ${Math.round(protoRequest.length / spanCount)} bytes/span`,
);
for (const count of [spanCount, 10, 1]) {
  const request = zipkinV2JsonRequest(count);
  print(`JSON to rows, messages of ${count}`, () => json.transcode(request), count);
}
print("protobuf to rows", () => proto.transcode(protoRequest), spanCount);
print("objects to JSON", () => encodeZipkinV2Json(spans), spanCount);
print("objects to protobuf", () => encodeZipkinV2Proto(spans), spanCount);

function print(what: string, work: () => unknown, count: number): void {
  const rate = spansPerCpuSecond(work, count, seconds);
  console.log(`${what} ${rate.toLocaleString("en")} spans per CPU-second`);
}
