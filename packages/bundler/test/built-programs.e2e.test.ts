// Runs each built process from a folder outside of its files, and tests one of its functions.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownSinceMajor, oldestNodeMajor, readProgram } from "../src/program.ts";
import { BuiltProgram, builtFile, isBuilt, output } from "./built-program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "built-programs-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Repeats a request until the answer is as expected, because acknowledged spans are stored a moment later. */
async function until(url: string, isWanted: (text: string) => boolean): Promise<string> {
  for (;;) {
    const text = await fetch(url).then(
      (answer) => answer.text(),
      () => "",
    );
    if (isWanted(text)) {
      return text;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.skipIf(!isBuilt)("built programs (skipped where nothing was built)", () => {
  test.each(["tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"])(
    "%s tells its version and its options",
    async (name) => {
      expect(await output(builtFile(name), folder, "version")).toMatch(/ v\d+\.\d+\.\d+\n$/);
      expect(await output(builtFile(name), folder, "--help")).toContain("--admin.http.host-port");
    },
    60_000,
  );

  test.each(["tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"])(
    "%s says in a sentence that its Node is too old",
    async (name) => {
      const older = join(folder, "older.cjs");
      await writeFile(
        older,
        'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });\n' +
          'Object.defineProperty(process, "version", { value: "v20.1.0" });',
      );
      const ended = spawnSync(process.execPath, ["--require", older, builtFile(name), "run"], {
        encoding: "utf8",
      });
      expect(ended.stderr).toBe(
        `needs Node >= ${oldestNodeMajor}, and ${process.execPath} is v20.1.0: run it with a newer one\n`,
      );
      expect(ended.status).toBe(1);
    },
  );

  test("tracing, which asks over the network, tells its version and its commands", async () => {
    const file = builtFile("tracing-cli", "tracing");
    expect(await output(file, folder, "version")).toMatch(/^tracing v\d+\.\d+\.\d+/);
    expect(await output(file, folder, "help")).toContain("search");
  });

  test("a span goes in at the collector, through storage, and out of query, which has its UI", async () => {
    const [http = "", store = "", query = "", ...others] = await freeAddresses(9);
    const admin = (index: number) => ["--admin.http.host-port", others[index] ?? ""];
    const storage = new BuiltProgram(builtFile("tracing-storage"), folder, [
      ...["--storage.http.host-port", store, "--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", others[3] ?? "", ...admin(0)],
    ]);
    const collector = new BuiltProgram(builtFile("tracing-collector"), folder, [
      ...["--collector.otlp.http.host-port", http, "--collector.otlp.grpc.host-port", "127.0.0.1:0"],
      ...[
        "--collector.grpc-server.host-port",
        "127.0.0.1:0",
        "--collector.http-server.host-port",
        "127.0.0.1:0",
      ],
      ...[
        "--collector.journal.dir",
        join(folder, "journal"),
        "--clickhouse.url",
        `http://${store}`,
        ...admin(1),
      ],
    ]);
    const reader = new BuiltProgram(builtFile("tracing-query"), folder, [
      ...["--query.http-server.host-port", query, "--query.grpc-server.host-port", "127.0.0.1:0"],
      ...["--clickhouse.url", `http://${store}`, ...admin(2)],
    ]);
    await Promise.all([storage, collector, reader].map((each) => each.logged("health: available")));

    const traceId = randomBytes(16).toString("hex");
    const now = `${Date.now()}000000`;
    const span = {
      traceId,
      spanId: "00000000000000a1",
      name: "built",
      startTimeUnixNano: now,
      endTimeUnixNano: now,
    };
    const sent = await fetch(`http://${http}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    });
    expect(sent.status).toBe(200);
    const found = await until(`http://${query}/api/traces/${traceId}`, (text) => text.includes('"built"'));
    expect(found).toContain("00000000000000a1");
    expect(await (await fetch(`http://${query}/search`)).text()).toContain("<!doctype html>");

    if (process.platform === "linux" && Number.parseInt(process.versions.node, 10) >= knownSinceMajor) {
      const { nodeOptions } = readProgram(new URL("../../tracing-collector/", import.meta.url));
      const commandLine = (await readFile(`/proc/${collector.child.pid}/cmdline`, "utf8")).split("\0");
      expect(commandLine.slice(1, 1 + nodeOptions.length)).toEqual(nodeOptions);
    }
    expect(await Promise.all([reader, collector, storage].map((each) => each.stop()))).toEqual([0, 0, 0]);
  });

  test("the server runs a handler of the user's own, in TypeScript, in a worker thread", async () => {
    const [site = "", admin = ""] = await freeAddresses(2);
    await writeFile(
      join(folder, "hello.ts"),
      `import { defineModule, type HttpHandler, z } from "admin-server/module";
export default defineModule({
  id: "http.handlers.hello",
  config: z.strictObject({ greeting: z.string() }),
  provision: ({ greeting }): HttpHandler => ({ handle: (exchange) => exchange.respond(200, greeting) }),
});`,
    );
    const config = {
      admin: { listen: admin },
      modules: ["./hello.ts"],
      apps: {
        http: {
          servers: { s: { listen: [site], routes: [{ handle: [{ handler: "hello", greeting: "hi" }] }] } },
        },
      },
    };
    await writeFile(join(folder, "site.json"), JSON.stringify(config));
    const server = new BuiltProgram(
      builtFile("admin-server", "server"),
      folder,
      ["run", "--config", "site.json", "--workers", "1"],
      { XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data") },
    );
    await server.logged(" runs");
    expect(await (await fetch(`http://${site}/`)).text()).toBe("hi");
    const openApi = await (
      await fetch(`http://${admin}/openapi.json`, { headers: { Origin: `http://${admin}` } })
    ).json();
    expect(openApi).toMatchObject({ openapi: expect.stringMatching(/^3/) });
    expect(await server.stop()).toBe(0);
  }, 60_000);

  test("the server reads a serverfile", async () => {
    await writeFile(join(folder, "Serverfile"), ":8080\nrespond hi\n");
    const json = await output(builtFile("admin-server", "server"), folder, "adapt");
    expect(JSON.parse(json)).toMatchObject({ apps: { http: { servers: { srv0: { listen: [":8080"] } } } } });
  });
});
