import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./run-command.ts";
import { ask, shareStorage } from "./running-storage.ts";

const storage = shareStorage();
const blocks = join(import.meta.dirname, "../src/import/tempo/testing/blocks");
const id = (number: number) => `c726400c-7fde-4e75-b22e-00000000000${number}`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "import-tempo-"));
  const files = ["parquet-go-v4", "pyarrow-v5-none", "pyarrow-v4-gzip"];
  for (const [number, file] of files.entries()) {
    const path = join(folder, number === 0 ? "single-tenant" : "acme", id(number));
    mkdirSync(path, { recursive: true });
    cpSync(join(blocks, `${file}.parquet`), join(path, "data.parquet"));
    const meta = {
      ...{
        format: `vParquet${file.match(/v(\d)/)?.[1]}`,
        blockID: id(number),
        tenantID: number === 0 ? "single-tenant" : "acme",
      },
      ...{
        startTime: "2026-11-30T00:00:30Z",
        endTime: "2026-11-30T00:00:31Z",
        totalObjects: [25, 3, 2][number],
      },
      dedicatedColumns: [{ s: "resource", n: "region" }, { n: "http.route" }, { n: "user.id" }],
    };
    writeFileSync(join(path, "meta.json"), JSON.stringify(meta));
  }
  truncateSync(join(folder, "acme", id(2), "data.parquet"), 9_000);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("blocks of Tempo become traces, once", async () => {
  const url = storage.url;
  const doneFile = join(folder, "done");
  const args = ["import-tempo", folder, "--url", url, "--user", "default", "--password", "secret"];
  const first = await run(...args, "--done-file", doneFile);
  expect([first.exitCode, first.output, first.errors]).toEqual([
    1,
    "2 blocks with 28 traces and 105 spans; 1 blocks failed\n",
    expect.stringContaining(`${id(2)}: the file does not end as Parquet does`),
  ]);
  expect((await run(...args, "--done-file", doneFile)).output).toBe(
    "0 blocks with 0 traces and 0 spans; 1 blocks failed; 2 blocks were done before\n",
  );
  expect((await run(...args)).output).toContain("2 blocks with 28 traces");
  expect(
    await ask(
      url,
      "SELECT tenant, count(), uniqExact(trace_id) FROM tracing.spans GROUP BY tenant ORDER BY tenant",
    ),
  ).toBe("\t99\t25\nacme\t6\t3");
}, 180_000);

test.each([
  [["import-tempo"], "name the folder of the blocks first"],
  [["import-tempo", "."], "name the store with --url"],
  [["import-tempo", "/nowhere", "--url", "URL"], "ENOENT"],
  [["import-tempo", "/nowhere", "--url", "http://127.0.0.1:1"], "import-tempo: "],
])(
  "%j says what is wrong",
  async (args, message) => {
    const { exitCode, errors } = await run(...args.map((arg) => (arg === "URL" ? storage.url : arg)));
    expect([exitCode === 0, errors]).toEqual([false, expect.stringContaining(message)]);
  },
  120_000,
);
