import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellServiceManager } from "./service-manager.ts";

let folder: string;
const told = () => readFileSync(join(folder, "told"), "utf8").trim().split("\n");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "service-manager-"));
  // A fake of systemd's program, which writes the message and its address to a file.
  const script = `#!/bin/sh\nprintf '%s|%s|%s\\n' "$NOTIFY_SOCKET" "$1" "$2" >>"${folder}/told"\n`;
  writeFileSync(join(folder, "systemd-notify"), script, { mode: 0o755 });
  writeFileSync(join(folder, "told"), "");
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("systemd is told when it waits for that", async () => {
  vi.stubEnv("NOTIFY_SOCKET", "/run/notify");
  await tellServiceManager("READY=1", "all processes are healthy");
  await tellServiceManager("STOPPING=1", "stopping in order");
  expect(told()).toEqual([
    "/run/notify|READY=1|STATUS=all processes are healthy",
    "/run/notify|STOPPING=1|STATUS=stopping in order",
  ]);
});

test("without a service manager nothing is started", async () => {
  vi.stubEnv("NOTIFY_SOCKET", undefined);
  await tellServiceManager("READY=1", "all processes are healthy");
  expect(told()).toEqual([""]);
});

test("a machine without systemd's program starts all the same", async () => {
  vi.stubEnv("NOTIFY_SOCKET", "/run/notify");
  vi.stubEnv("PATH", join(folder, "nothing"));
  await expect(tellServiceManager("READY=1", "all processes are healthy")).resolves.toBeUndefined();
});
