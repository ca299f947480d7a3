import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitForPeers } from "./peers.mjs";

let folder = "";
let printed = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peers-"));
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("waits for a build that runs, and says what is there and what is not", async () => {
  const build = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
  writeFileSync(join(folder, ".building"), `${build.pid}\n`);
  let isOver = false;
  const waiting = waitForPeers(folder).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(isOver).toBe(false);
  writeFileSync(join(folder, "caddy"), "");
  build.kill("SIGKILL");
  await waiting;
  expect(printed).toContain(
    `${folder}: caddy; not there, so that tests skip: actionlint, gofakes3, grpcurl, h2spec`,
  );
});

test("does not wait for a build that was killed, nor longer than the limit", async () => {
  writeFileSync(join(folder, ".building"), "999999999\n");
  await waitForPeers(folder);
  writeFileSync(join(folder, ".building"), `${process.pid}\n`);
  await waitForPeers(folder, 10);
  expect(printed).toContain(": none; not there");
});
