import type { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, type Logger } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { selfSigned } from "../../testing/self-signed.ts";
import type { Machine } from "./machine.ts";
import { TrustInstaller } from "./trust-installer.ts";

let folder: string;
let lines: string[];
let log: Logger;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trust-installer-"));
  lines = [];
  log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  log.info = log.warn = (line: unknown) => void lines.push(String(line));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function machine(): Machine {
  return {
    platform: "linux",
    environment: { PATH: `${folder}/bin:/usr/bin:/bin` },
    root: folder,
    privileged: true,
    interactive: false,
  };
}

async function makeRoot(): Promise<X509Certificate> {
  return (await selfSigned("Root", { names: [], pathLength: 1 })).certificate;
}

test.skipIf(process.platform === "win32")(
  "roots are installed once each, and never when they are trusted",
  async () => {
    const anchors = join(folder, "usr/local/share/ca-certificates");
    await mkdir(anchors, { recursive: true });
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin/update-ca-certificates"), "#!/bin/sh\n", { mode: 0o755 });
    const [root, other, trusted] = [await makeRoot(), await makeRoot(), await makeRoot()];
    const installer = new TrustInstaller(machine(), (each) => each === trusted);
    for (const each of [root, root, other, trusted]) {
      void installer.install(each, "local", log);
    }
    await installer.install(root, "local", log);
    expect(await readdir(anchors)).toHaveLength(2);
    expect(lines).toEqual([
      `root of certificate authority local: trusted from now on by system (${anchors})`,
      `root of certificate authority local: trusted from now on by system (${anchors})`,
      "root of certificate authority local: trusted by the system already",
    ]);
  },
);

test("a machine without a trust store is told of in the log, and nothing else", async () => {
  await new TrustInstaller(machine(), () => false).install(await makeRoot(), "local", log);
  expect(lines).toEqual([
    'root of certificate authority local: not trusted: no trust store is known on this system (linux); "server trust" tries again',
  ]);
});
