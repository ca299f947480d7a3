import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-serverfile-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Runs a command to its end. */
async function run(...args: string[]) {
  const server = new ServerProcess(args, { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder });
  const code = await server.exit;
  return { code, stdout: server.stdout, stderr: server.stderr };
}

const formatted = ":8080 {\n\trespond hi\n}\n";

describe("server adapt", () => {
  test("prints the JSON of a serverfile, and warns of its formatting", async () => {
    const path = await file("Serverfile", ":8080 {\n respond hi\n}\n");
    const { code, stdout, stderr } = await run("adapt", "--config", path);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      apps: { http: { servers: { srv0: { listen: [":8080"] } } } },
    });
    expect(stderr).toContain(`${path}:2: Serverfile input is not formatted`);
  });

  test("names file and line of a fault, with exit code 1", async () => {
    const path = await file("Serverfile", ":8080 {\n\trespond\n}\n");
    const { code, stderr } = await run("adapt", "--config", path);
    expect(code).toBe(1);
    expect(stderr).toContain(`wrong argument count or unexpected line ending after 'respond', at ${path}:2`);
    expect(stderr).not.toContain("    at ");
  });
});

describe("server validate", () => {
  test("a config that would run, and one that would not", async () => {
    expect(await run("validate", "--config", await file("a.serverfile", formatted))).toMatchObject({
      code: 0,
      stdout: "Valid configuration\n",
    });
    const { code, stderr } = await run("validate", "--config", await file("b.json", '{"apps":{"nope":{}}}'));
    expect(code).toBe(1);
    expect(stderr).toContain("nope");
  });
});

describe("server fmt", () => {
  test("prints, shows the difference, and writes back", async () => {
    const path = await file("Serverfile", ":8080 {\n  respond   hi\n}\n");
    const printed = await run("fmt", path);
    expect(printed).toMatchObject({ code: 1, stdout: formatted });
    const shown = await run("fmt", "--diff", path);
    expect(shown.stdout).toBe("  :8080 {\n-   respond   hi\n+ \trespond hi\n  }\n  \n");
    expect(await run("fmt", "--overwrite", path)).toMatchObject({ code: 0, stdout: "" });
    expect(await readFile(path, "utf8")).toBe(formatted);
    expect(await run("fmt", path)).toMatchObject({ code: 0, stdout: formatted });
  });
});
