import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readRegularFile, readRegularFileSync } from "./read-regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "regular-file-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(at("text"), "héllo");
writeFileSync(at("empty"), "");
writeFileSync(at("huge"), "");
truncateSync(at("huge"), 2 ** 31);
symlinkSync(at("text"), at("link"));
execFileSync("mkfifo", [at("fifo")]);
symlinkSync(at("fifo"), at("link-to-fifo"));

describe.each([
  ["readRegularFile", readRegularFile],
  ["readRegularFileSync", async (path: string, max: number) => readRegularFileSync(path, max)],
])("%s", (_, read) => {
  test("reads what is a file", async () => {
    expect(String(await read(at("text"), 6))).toBe("héllo");
    expect(String(await read(at("link"), 100))).toBe("héllo");
    expect((await read(at("empty"), 100)).length).toBe(0);
  });

  test.each([
    ["fifo", "is a named pipe"],
    ["link-to-fifo", "is a named pipe"],
    ["", "is a directory"],
    ["/dev/zero", "is a device"],
    ["/proc/self/status", "is no file on a disk"],
    ["huge", "2147483648 bytes are over the limit of 1000"],
    ["missing", "ENOENT"],
  ])("refuses %s at once", async (name, reason) => {
    await expect(read(name.startsWith("/") ? name : at(name), 1000)).rejects.toThrow(reason);
  });

  test("refuses a socket", async () => {
    const server = createServer().listen(at(`socket-${_}`));
    await new Promise((resolve) => server.once("listening", resolve));
    await expect(read(at(`socket-${_}`), 1000)).rejects.toThrow("is a socket");
    server.close();
  });

  test("the limit itself is within the limit", async () => {
    expect((await read(at("text"), 6)).length).toBe(6);
    await expect(read(at("text"), 5)).rejects.toThrow("6 bytes are over the limit of 5");
  });
});
