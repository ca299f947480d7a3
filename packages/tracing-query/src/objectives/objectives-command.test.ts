import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { countedStatus, objectivesCommand, statusLines } from "./objectives-command.ts";
import { parseObjectives } from "./objectives-file.ts";
import { storeCounts } from "./read-store-counts.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "objectives-"));
});
afterAll(() => rm(folder, { recursive: true }));

const minuteNano = 60_000_000_000n;
const nowMs = Date.now();
/** Spans of the last minutes, a tenth of them with an error. */
const spans = Array.from({ length: 30 }, (_, index) =>
  otlpSpan({
    spanId: index.toString(16).padStart(16, "0"),
    startTimeUnixNano: BigInt(nowMs) * 1_000_000n - BigInt(index * 300 + 2) * minuteNano,
    status: { code: index % 10 === 0 ? "error" : "unset", message: "" },
    durationNano: index === 5 ? 900_000_000n : 1_000_000n,
    attributes: [{ key: "plan", value: { type: "string", value: index % 2 === 0 ? "gold" : "free" } }],
  }),
);

async function linesOf(fields: string): Promise<string[]> {
  const { objectives } = parseObjectives(`objectives: [{ name: a, service: shop, ${fields} }]`);
  const store = await sampleStore(spans);
  const lines = await Promise.all(objectives.map((one) => countedStatus(one, storeCounts(store), nowMs)));
  return lines.flatMap(statusLines);
}

test.each([
  ["target: 80", "met       a  80 %  3 of 30 spans bad  50 % of the budget is left"],
  ["target: 95", "missed    a  95 %  3 of 30 spans bad  The budget is used 2 times"],
  ["target: 80, latency: 300ms", "met       a  80 %  4 of 30 spans bad  33.3 % of the budget is left"],
  [
    `target: 75, condition: 'span.plan = "gold"'`,
    "met       a  75 %  3 of 15 spans bad  20 % of the budget is left",
  ],
  [
    `target: 75, latency: 300ms, condition: 'span.plan = "free"'`,
    "met       a  75 %  1 of 15 spans bad  73.3 % of the budget is left",
  ],
  ["target: 99, operations: [other]", "empty     a  99 %  0 of 0 spans bad  –"],
])("an objective of { %s } is counted over its whole window", async (fields, line) => {
  expect((await linesOf(fields))[0]).toBe(line);
});

test("a report says what cannot be right", async () => {
  expect((await linesOf("target: 99, operations: [other]"))[1]).toMatch("no span matches");
  expect((await linesOf("target: 99, latency: 1us"))[1]).toMatch("every span is bad");
  expect((await linesOf("target: 80"))[1]).toMatch("burn rates of 14.4 and 6 cannot be reached");
});

test("the command prints rules, counts, and refuses what it cannot use", async () => {
  const path = join(folder, "objectives.yaml");
  await writeFile(path, "objectives: [{ name: checkout, service: shop, target: 99.9 }]");
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    expect(await objectivesCommand.run(["--file", path, "--rules"])).toBe(0);
    expect(written.join("")).toContain("objective:bad_share:rate1h");
    written.length = 0;
    expect(await objectivesCommand.run(["--file", path, "--span-storage.type=memory"])).toBe(0);
    expect(written.join("")).toBe(
      "empty     checkout  99.9 %  0 of 0 spans bad  –\n          no span matches: look at service, operations, kinds and condition\n",
    );
  } finally {
    write.mockRestore();
  }
  await expect(objectivesCommand.run([])).rejects.toThrow("name the file with --file");
  await expect(objectivesCommand.run(["--file", join(folder, "none")])).rejects.toThrow("ENOENT");
  await writeFile(path, "objectives: [{ name: checkout }]");
  await expect(objectivesCommand.run(["--file", path])).rejects.toThrow("objectives.0.service");
});
