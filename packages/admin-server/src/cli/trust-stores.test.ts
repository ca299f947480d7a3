import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { untrust } from "../commands/untrust.ts";
import { RunningServer } from "../testing/running-server.ts";
import { fetchRoot, printOutcomes, readRoot } from "./trust-stores.ts";

let running: RunningServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trust-stores-"));
  const authority = { name: "Inner", install_trust: false };
  running = await RunningServer.start({ apps: { pki: { certificate_authorities: { inner: authority } } } });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

const address = () => running.adminUrl.replace("http://", "");

test("the root is that of the running server's authority, by its name", async () => {
  const root = await fetchRoot("inner", address(), "", "");
  expect([root.subject, root.ca]).toEqual([expect.stringContaining("Inner"), true]);
  await expect(fetchRoot("other", address(), "", "")).rejects.toThrow(/other/);
});

test("the root is that of a file; one without a certificate is refused by its name", async () => {
  const file = join(folder, "root.crt");
  const root = await fetchRoot("inner", address(), "", "");
  await writeFile(file, root.toString());
  expect((await readRoot(file)).fingerprint256).toBe(root.fingerprint256);
  await writeFile(file, "nothing");
  await expect(readRoot(file)).rejects.toThrow(file);
});

test("each store has its line; one that failed makes the command fail", () => {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const system = { store: "system", fault: undefined };
  expect(printOutcomes([system], "trusted by")).toBe(0);
  expect(printOutcomes([system, { store: "Java", fault: "no room" }], "no longer trusted by")).toBe(1);
  expect(out.mock.calls.flat()).toEqual(["trusted by system\n", "no longer trusted by system\n"]);
  expect(err.mock.calls.flat()).toEqual(["server: Java: no room\n"]);
});

test("untrust takes a file or a server, not both", async () => {
  const options = { cert: "root.crt", ca: "inner", address: "", config: "", adapter: "" };
  const none = { names: [], all: async () => [] };
  await expect(untrust.run(options, [], none)).rejects.toThrow(/--cert names the root by itself/);
});
