import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeTables, run } from "./run-command.ts";
import { ask, makeFolder, type RunningStorage, removeFolder, startStorage } from "./running-storage.ts";

vi.setConfig({ testTimeout: 60_000 });
const [ann, other] = ["ab".repeat(16), "cd".repeat(16)];
let folder: string;
let storage: RunningStorage;

beforeAll(async () => {
  folder = await makeFolder();
  storage = await startStorage(join(folder, "data"));
  await makeTables(storage.url);
  await ask(
    storage.url,
    `INSERT INTO tracing.spans (in_tenant, in_service, in_name, in_attributes, trace_id, span_id, start, duration)
     SELECT '', 'shop', 'GET /', [('user.id', 'string', if(number < 3, 'ann', 'ben'))],
       unhex(if(number < 3, '${ann}', '${other}')), toFixedString(leftPad(toString(number), 8, '0'), 8),
       toDateTime64('2026-11-20 00:00:00', 9, 'UTC') + number, 1 FROM numbers(10)`,
  );
});
afterAll(async () => {
  await storage.stop();
  await removeFolder(folder);
});

const spans = () => ask(storage.url, "SELECT count() FROM tracing.spans");

test("a user's spans are counted, deleted, and proved to be gone; the audit lines do not name the user", async () => {
  const file = join(folder, "audit.log");
  const asked = ["delete", "--url", storage.url, "--attribute", "user.id=ann", "--audit-file", file];
  const counted = await run(...asked, "--requested-by", "ticket 7");
  expect(counted).toMatchObject({ exitCode: 0, errors: "" });
  expect(counted.output).toBe(
    `spans, ${storage.url}/: 3 rows\ntrace_minutes, ${storage.url}/: 1 rows\nspans of 1 traces; nothing is deleted without --yes\n`,
  );
  expect(await spans()).toBe("10");

  const deleted = await run(...asked, "--requested-by", "ticket 7", "--yes");
  expect(deleted).toMatchObject({ exitCode: 0, errors: "" });
  expect(deleted.output).toContain(`spans, ${storage.url}/: 3 rows deleted, 0 left\n`);
  const [proof = ""] = deleted.output.match(/(?<=proof, counts 0: ).*/) ?? [];
  expect([await spans(), await ask(storage.url, proof)]).toEqual(["7", "0"]);

  const text = await readFile(file, "utf8");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(text).not.toContain("ann");
  const valueSha256 = createHash("sha256").update("ann").digest("hex");
  const what = { attribute: "user.id", valueSha256 };
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(
    ["begun", "counted", "begun", "done"].map((state) =>
      expect.objectContaining({ who: "ticket 7", state, what, database: "tracing" }),
    ),
  );
  expect(JSON.parse(text.trim().split("\n")[3] ?? "")).toMatchObject({
    ...{ traces: 1, rows: { spans: 3, archived_spans: 0, trace_minutes: 1 } },
    remaining: { spans: 0, archived_spans: 0, trace_minutes: 0 },
  });
});

test.each([
  ["no condition", [], "name what with --trace-id, --attribute, --tenant, --from or --to"],
  ["no attribute", ["--attribute", "user.id"], '"user.id" is not key=value'],
  ["no trace id", ["--trace-id", "xyz"], '"xyz" is no trace id'],
  ["no time", ["--from", "2026-13-01"], "is not a time in UTC"],
  // Without the empty condition, the deletion would take more spans than the user means.
  ["an empty trace id", ["--trace-id", "", "--tenant", "a"], "option --trace-id: is empty: leave"],
  [
    "trace ids of commas",
    ["--trace-id", ",", "--tenant", "a"],
    "a deletion takes 1 to 1500 trace ids, not 0",
  ],
  ["an empty attribute", ["--attribute=", "--tenant", "a"], "option --attribute: is empty: leave"],
  ["an empty start", ["--from", "", "--to", "2099-01-01"], "option --from: is empty: leave"],
  ["an empty end", ["--to", " ", "--from", "2001-01-01"], "option --to: is empty: leave"],
  ["an empty tenant alone", ["--tenant", ""], "so it needs another condition"],
  ["a range that ends first", ["--from", "2026-11-21", "--to", "2026-11-20"], "ends before it begins"],
  ["an audit file that cannot be", ["--tenant", "a", "--audit-file", "/nowhere/x"], "option --audit-file: "],
])("%s", async (_name, args, text) => {
  const before = await spans();
  const { exitCode, output, errors } = await run("delete", "--url", storage.url, "--yes", ...args);
  expect([exitCode, output]).toEqual([1, ""]);
  expect(errors).toContain(text);
  expect(await spans()).toBe(before);
});
