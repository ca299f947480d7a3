/**
 * `row-steps/100x435`: rows per CPU-second and CPU-seconds per million rows of what the collector's pipeline may do
 * with each row, on rows of 10 attributes.
 * Run: `node packages/bench/src/micro/row-steps.ts [seconds]`; one process, nothing else measured.
 */
import { OtlpTranscoder } from "wire/otlp";
import { RowScanner } from "wire/rows";
import { otlpRequest } from "./otlp-request.ts";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";

const seconds = Number(process.argv[2] ?? 3);
const spanCount = 100;
const rows = {
  bytes: Uint8Array.from(new OtlpTranscoder().transcode(otlpRequest(spanCount)).rows.bytes),
  count: spanCount,
};
console.log(`rows ${rows.bytes.length / spanCount} bytes/span`);

const scanner = new RowScanner();
print("RowScanner", () => {
  scanner.open(rows);
  while (scanner.next());
});

function print(name: string, work: () => void): void {
  const rate = spansPerCpuSecond(work, spanCount, seconds);
  const perMillion = (1_000_000 / rate).toFixed(3);
  console.log(
    `${name} ${Math.round(rate).toLocaleString("en")} rows per CPU-second, ${perMillion} CPU-s per million`,
  );
}
