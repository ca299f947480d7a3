/**
 * `otlp-encode/100x435`: spans per CPU-second from the domain model to OTLP protobuf and JSON, as exports and api_v3
 * do. Run: `node packages/bench/src/micro/otlp-encode.ts [seconds]`; one process, nothing else is measured.
 */

import { encodeTraces, encodeTracesJson } from "wire/otlp";
import { decodeTraces } from "wire/testing/decode-traces";
import { otlpRequest } from "./otlp-request.ts";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";

const seconds = Number(process.argv[2] ?? 3);
const spans = decodeTraces(otlpRequest(100));

for (const [form, encode] of Object.entries({ protobuf: encodeTraces, JSON: encodeTracesJson })) {
  const rate = spansPerCpuSecond(() => encode(spans), spans.length, seconds);
  console.log(`encode ${form} ${rate.toLocaleString("en")} spans per CPU-second`);
}
