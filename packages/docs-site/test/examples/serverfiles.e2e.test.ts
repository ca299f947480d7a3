// Sends every serverfile of the documentation to a running server's adapter.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freeAddresses } from "lifecycle/testing";
import { expect, test } from "vitest";
import { whileRunning } from "../../src/reference/programs.ts";
import { blocksOf } from "./code-blocks.ts";

/** The adapter's result for a serverfile. */
function adapted(
  admin: string,
  serverfile: string,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "text/serverfile" };
    const post = request(
      `http://${admin}/adapt`,
      { method: "POST", headers, agent: false },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, body: await text(response) });
      },
    );
    post.on("error", reject);
    post.end(serverfile);
  });
}

test("Every serverfile can be adapted: as it stands, or as lines of a site", async () => {
  const folder = mkdtempSync(join(tmpdir(), "docs-examples-"));
  try {
    const [admin = ""] = await freeAddresses(1);
    const config = join(folder, "server.json");
    // An adapter runs only modules of the running config.
    const modules = blocksOf("serverfile").flatMap(([, { code }]) =>
      [...code.matchAll(/^\tmodules (.*)$/gm)].flatMap(([, names = ""]) => names.split(" ")),
    );
    writeFileSync(config, JSON.stringify({ modules }));
    const environment = { SERVER_ADMIN: admin, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    const healthUrl = `http://${admin}/config/`;
    const args = ["run", "--workers", "1", "--config", config];
    const refused = await whileRunning("admin-server", args, { healthUrl, environment }, async () => {
      const faults: string[] = [];
      for (const [name, { code }] of blocksOf("serverfile")) {
        const whole = await adapted(admin, code);
        const asLines = whole.status === 200 ? whole : await adapted(admin, `:8080 {\n${code}\n}\n`);
        if (asLines.status !== 200) {
          faults.push(`${name}: ${whole.body.trim()} ${asLines.body.trim()}`);
        }
      }
      expect((await adapted(admin, ":8080 {\n\tnonsense\n}\n")).status).toBe(400);
      return faults;
    });
    expect(refused).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);
