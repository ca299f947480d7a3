// The gallery of plug-ins: each example is a valid config, and each module that came from a plug-in has an example.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locationFile } from "server-core/testing/location-file";
import { formatServerfile } from "serverfile/format/format-serverfile";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { packagedModules } from "./all-modules.ts";
import { RunningServer } from "./testing/running-server.ts";
import { adaptServerfile, toServerfile } from "./testing/serverfile.ts";

const page = await readFile(new URL("../../../docs/plug-ins.md", import.meta.url), "utf8");
const sections = page
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [, text = ""] = /^```serverfile\n(.*?)^```$/ms.exec(section) ?? [];
    return { name: section.split("\n", 1).join(), text };
  });
const examples = sections.filter(({ text }) => text !== "");

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plug-ins-"));
  await writeFile(join(folder, "test.mmdb"), locationFile({}));
  await writeFile(join(folder, "2fa.json"), '{ "ann": { "totp_secret": "JBSWY3DPEHPK3PXP" } }');
  server = await RunningServer.start();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

describe("the gallery of plug-ins", () => {
  test("has an example in each section, but for commands", () => {
    expect(sections.filter(({ text }) => text === "").map(({ name }) => name)).toEqual([
      "docker-proxy",
      "kubernetes",
    ]);
    expect(examples.length).toBeGreaterThan(13);
  });

  test("shows every module that is a package of its own", () => {
    const shown = examples.map(({ text }) => text).join("\n");
    const names = packagedModules.map(({ id }) => id.split(".").at(-1) ?? "");
    expect(names.filter((name) => !shown.includes(name))).toEqual([]);
  });

  /** Values of variables in examples that need a certain form. */
  const values: Record<string, string> = { SESSION_KEY: Buffer.alloc(32, "k").toString("base64") };

  test.each(examples)("$name: the example is adapted, valid, and comes back", async ({ text }) => {
    values.SECRETS_FILE = join(folder, "2fa.json");
    for (const [, name = ""] of text.matchAll(/\{env\.(\w+)\}/g)) {
      vi.stubEnv(name, values[name] ?? "a-secret-of-the-example-with-forty-letters");
    }
    const { result, warnings } = adaptServerfile(Buffer.from(text), {});
    expect(warnings).toEqual([]);
    expect(formatServerfile(text)).toBe(text);
    expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
    const config = JSON.stringify(result).replace(
      /"db_path":".*?"/,
      `"db_path":${JSON.stringify(join(folder, "test.mmdb"))}`,
    );
    const answer = await server.admin("POST", "/validate", config, { "Content-Type": "application/json" });
    expect(answer.text).toContain('"valid":true');
  });
});
