/**
 * `api-v2-transcode/100x435`: spans per CPU-second from `PostSpansRequest` protobuf to rows, in one pass and through
 * objects. Run: `node packages/bench/src/micro/api-v2-transcode.ts [seconds]`; one process, nothing else is measured.
 */
import { fromApiV2Batch, PostSpansRequest } from "wire/api-v2";
import { ApiV2Transcoder } from "wire/api-v2-transcoder";
import { SpanRowWriter } from "wire/rows";
import { apiV2Batch } from "./api-v2-spans.ts";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";

const spansPerRequest = 100;
const seconds = Number(process.argv[2] ?? 3);

const request = Buffer.from(PostSpansRequest.encode({ batch: apiV2Batch(spansPerRequest) }).finish());
const transcoder = new ApiV2Transcoder();
const writer = new SpanRowWriter();

const rowsBytes = transcoder.transcode(request).rows.bytes.length;
console.log(
  `request ${request.length / spansPerRequest} bytes/span, rows ${rowsBytes / spansPerRequest} bytes/span`,
);

function overObjects(): void {
  const { batch } = PostSpansRequest.decode(request);
  for (const span of batch === undefined ? [] : fromApiV2Batch(batch, "proto")) {
    writer.append(span);
  }
  writer.take();
}

for (const [name, work] of [
  ["transcode", () => transcoder.transcode(request)],
  ["over objects", overObjects],
] as const) {
  const rate = spansPerCpuSecond(work, spansPerRequest, seconds);
  console.log(`${name} ${rate.toLocaleString("en")} spans per CPU-second`);
}
