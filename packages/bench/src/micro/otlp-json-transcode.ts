/**
 * `otlp-json-transcode/100x435`: spans per CPU-second from OTLP JSON to rows, in requests of 100, 10 and 1 spans. Run:
 * `node packages/bench/src/micro/otlp-json-transcode.ts [seconds]`; one process, nothing else is measured.
 */
import { OtlpJsonTranscoder } from "wire/otlp";
import { otlpJsonRequest } from "./otlp-request.ts";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";

const seconds = Number(process.argv[2] ?? 3);
const transcoder = new OtlpJsonTranscoder();

console.log(`request ${otlpJsonRequest(100).length / 100} bytes/span`);
for (const spanCount of [100, 10, 1]) {
  const request = otlpJsonRequest(spanCount);
  const rate = spansPerCpuSecond(() => transcoder.transcode(request), spanCount, seconds);
  console.log(`transcode requests of ${spanCount} ${rate.toLocaleString("en")} spans per CPU-second`);
}
