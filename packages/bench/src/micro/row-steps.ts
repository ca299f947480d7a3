/**
 * `row-steps/100x435`: CPU-seconds per million rows for each optional step of the collector's pipeline, on rows with 10
 * attributes. Run: `node packages/bench/src/micro/row-steps.ts [seconds]`; one process, nothing else is measured.
 */
import { OtlpTranscoder } from "wire/otlp";
import { RowScanner } from "wire/rows";
import { CollectorTags } from "../../../tracing-collector/src/pipeline/collector-tags.ts";
import { keepRows } from "../../../tracing-collector/src/pipeline/keep-rows.ts";
import { ruleSetOf } from "../../../tracing-collector/src/pipeline/privacy/open-privacy.ts";
import { parsePrivacyRules } from "../../../tracing-collector/src/pipeline/privacy/parse-privacy-rules.ts";
import { PrivacyStep } from "../../../tracing-collector/src/pipeline/privacy/privacy-step.ts";
import { SpanCounts } from "../../../tracing-collector/src/pipeline/span-counts.ts";
import { parseTailPolicies } from "../../../tracing-collector/src/pipeline/tail/tail-policies.ts";
import { TailSampler } from "../../../tracing-collector/src/pipeline/tail/tail-sampler.ts";
import { TraceDownsampling } from "../../../tracing-collector/src/pipeline/trace-downsampling.ts";
import { otlpRequest } from "./otlp-request.ts";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";

const seconds = Number(process.argv[2] ?? 3);
let spansPerTrace = 10;
const source = { transport: "grpc", format: "otlp" } as const;

const hundred = rowsOf(100);
const one = rowsOf(1);
const tallied = new OtlpTranscoder().transcode(otlpRequest(100)).rows;
const scanner = new RowScanner();
const traceIds: number[] = [];
scanner.open(hundred);
while (scanner.next()) {
  traceIds.push(scanner.traceIdAt);
}
console.log(`rows ${hundred.bytes.length / 100} bytes/span`);

print("RowScanner", () => {
  scanner.open(hundred);
  while (scanner.next()) {}
});
const counts = new SpanCounts({ servicesReceived() {} });
print("SpanCounts, rows with a tally", () => counts.apply(tallied, source));
print("SpanCounts, rows without", () => counts.apply(hundred, source));
const tags = new CollectorTags([
  ["zone", "a"],
  ["cluster", "b"],
]);
print("CollectorTags", () => tags.apply(hundred));
print("CollectorTags, requests of 1", () => tags.apply(one), 1);
const downsampling = new TraceDownsampling({ ratio: 1, salt: "" }, { downsampled() {} });
print("TraceDownsampling, all kept", () => downsampling.apply(hundred));

const names = [
  '{ action: remove, attributes: ["*.password", authorization, "http.request.header.cookie"] }',
  "{ action: mask, attributes: [enduser.id] }",
  "{ action: rename, attributes: [db.query.text], to: db.statement }",
];
const mixed = [
  ...names,
  "{ action: hash, attributes: [customer.id, user.id], services: [frontend, checkout] }",
  "{ action: truncate, length: 100, attributes: [db.query.text, exception.stacktrace] }",
  "{ action: mask, detect: [email, card] }",
  '{ action: hash, detect: [ipv4, ipv6], except: ["server.*"] }',
  "{ action: mask, detect: [jwt, bearer, key] }",
  '{ action: mask, patterns: ["cust-[0-9]{6}"], attributes: ["app.*"] }',
  "{ action: truncate, length: 200, in: [status-message] }",
];
const privacyOf = (rules: readonly string[]) => {
  const list = rules.map((rule) => `- ${rule}`).join("\n");
  const { rules: parsed } = parsePrivacyRules(`rules:\n${list}`, "bench");
  return new PrivacyStep(ruleSetOf({ rules: parsed, hashKey: Buffer.alloc(32, 1) }));
};
for (const [what, rules] of [
  ["three rules by name", names],
  ["four detectors, nothing found", ["{ action: mask, detect: [email, card, jwt, bearer] }"]],
  ["four detectors", ["{ action: mask, detect: [email, card, ipv4, jwt] }"]],
  ["all detectors", ["{ action: mask, detect: [email, card, ipv4, ipv6, jwt, bearer, key] }"]],
  ["ten mixed rules", mixed],
] as const) {
  const step = privacyOf(rules);
  print(`PrivacyStep, ${what}`, () => step.apply(hundred));
  print(`PrivacyStep, ${what}, requests of 1`, () => step.apply(one), 1);
}

let nowMs = 0;
const sampler = new TailSampler(
  {
    policies: parseTailPolicies(
      {
        policies: [
          { type: "error" },
          { type: "latency", threshold: "1s" },
          { type: "rate", "traces-per-minute": 10 },
          { type: "probability", ratio: 0.1 },
        ],
      },
      "bench",
    ),
    decisionWaitMs: 30_000,
    maxTraces: 200_000,
    now: () => nowMs,
  },
  { traceDecided() {}, spansDecided() {}, lateSpans() {}, forgottenSpans() {} },
);
for (spansPerTrace of [10, 1]) {
  print(`TailSampler.observe, 50,000 spans a second, ${spansPerTrace} a trace`, () => {
    nowMs += 2;
    renewTraces();
    sampler.observe(hundred);
  });
}
print("TailSampler.judge and keepRows", () => {
  const verdicts = sampler.judge(hundred);
  let row = 0;
  keepRows(hundred, scanner, () => verdicts.isKept(row++) || true);
});

function rowsOf(count: number): { bytes: Uint8Array; count: number } {
  return { bytes: Uint8Array.from(new OtlpTranscoder().transcode(otlpRequest(count)).rows.bytes), count };
}

/** Gives all traces of the rows new ids. */
function renewTraces(): void {
  for (let first = 0; first < traceIds.length; first += spansPerTrace) {
    const id = Math.floor(Math.random() * 2 ** 32);
    for (const at of traceIds.slice(first, first + spansPerTrace)) {
      hundred.bytes.fill(0, at, at + 12);
      for (let byte = 0; byte < 4; byte++) {
        hundred.bytes[at + 12 + byte] = id >>> (8 * byte);
      }
    }
  }
}

function print(name: string, work: () => void, spansPerRound = 100): void {
  const rate = spansPerCpuSecond(work, spansPerRound, seconds);
  const perMillion = (1_000_000 / rate).toFixed(3);
  console.log(`${name}: ${perMillion} CPU-s per million, ${rate.toLocaleString("en")} rows per CPU-second`);
}
