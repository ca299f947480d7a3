import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { oneSpanJson } from "../../test/receiver-fixture.ts";
import { checkPrivacyCommand } from "./check-privacy-command.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "privacy-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

async function run(rules: string, ...traces: string[]): Promise<string> {
  const path = join(folder, "rules.yaml");
  await writeFile(path, rules);
  const printed: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  const file = join(folder, "traces.json");
  await writeFile(file, traces.join("\n"));
  await checkPrivacyCommand.run([path, ...(traces.length > 0 ? ["--traces", file] : [])]);
  return printed.join("");
}

const rules = `rules:
  - { name: mail, action: mask, detect: [email] }
  - { action: remove, attributes: ["*"], in: [resource], dry-run: true }
`;

test("rules alone are checked", async () => {
  expect(await run(rules)).toBe("2 rules\n");
  await expect(run("rules: [{ action: burn }]")).rejects.toThrow(
    /^check-privacy: .*rules\.yaml:1:19: rules\[0\]\.action: /,
  );
  await expect(checkPrivacyCommand.run([])).rejects.toThrow("name the file first");
});

test("what would change in traces is counted, and not shown", async () => {
  expect(await run(rules, oneSpanJson("to a@b.de"), "", oneSpanJson())).toBe(
    [
      "2 spans; values that each rule would change:",
      "           1  mail  (mask)",
      "           0  remove-2  (remove, dry run)",
      "",
    ].join("\n"),
  );
});

test("a faulty line is named", async () => {
  await expect(run(rules, oneSpanJson(), "{")).rejects.toThrow(/^check-privacy: .*traces\.json:2: /);
});
