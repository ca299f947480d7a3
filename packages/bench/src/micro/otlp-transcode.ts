/**
 * `otlp-transcode/100x435`: spans per CPU-second from OTLP protobuf to rows, in requests of 100, 10 and 1 spans, and
 * from rows back to objects. Run: `node packages/bench/src/micro/otlp-transcode.ts [seconds]`; one process, nothing
 * else is measured.
 */
import { OtlpTranscoder } from "wire/otlp";
import { readSpanRows } from "wire/rows";
import { otlpRequest } from "./otlp-request.ts";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";

const seconds = Number(process.argv[2] ?? 3);
const transcoder = new OtlpTranscoder();

const bytes = otlpRequest(100);
const rows = Buffer.from(transcoder.transcode(bytes).rows.bytes);
console.log(`request ${bytes.length / 100} bytes/span, rows ${rows.length / 100} bytes/span`);
for (const spanCount of [100, 10, 1]) {
  const request = otlpRequest(spanCount);
  print(`transcode requests of ${spanCount}`, () => transcoder.transcode(request), spanCount);
}
print("readSpanRows", () => readSpanRows(rows), 100);

function print(name: string, work: () => void, spanCount: number): void {
  const rate = spansPerCpuSecond(work, spanCount, seconds);
  console.log(`${name} ${rate.toLocaleString("en")} spans per CPU-second`);
}
