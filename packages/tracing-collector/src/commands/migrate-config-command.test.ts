import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { migrateConfigCommand } from "./migrate-config-command.ts";

let dir: string;
let file: string;
let printed: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "migrate-config-"));
  file = join(dir, "tempo.yaml");
  await writeFile(file, "server:\n  http_listen_port: 3200\n");
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true });
});

test("prints the files and what became of each line", async () => {
  expect(await migrateConfigCommand.run([file])).toBe(0);
  expect(printed).toContain(
    "--- tracing-query.yaml\n# From tempo.yaml (Tempo), by tracing-collector migrate-config.\nquery.http-server.host-port: :3200\n",
  );
  expect(printed).toMatch(
    /--- Tempo, line by line\n\+ 2 {2}server.http_listen_port: --query.http-server.host-port/,
  );
});

test("writes the files to a folder, and overwrites none", async () => {
  const out = join(dir, "ours");
  expect(await migrateConfigCommand.run([file, "--out", out])).toBe(0);
  expect(await readFile(join(out, "tracing-query.yaml"), "utf8")).toContain(":3200");
  await expect(migrateConfigCommand.run([file, "--out", out])).rejects.toThrow("is there already");
});

test.each([
  [[], "name the file first"],
  [["--out", "x"], "name the file first"],
  [["/not/there.yaml"], "cannot be read"],
])("%j is refused", async (args, message) => {
  await expect(migrateConfigCommand.run(args)).rejects.toThrow(message);
});
