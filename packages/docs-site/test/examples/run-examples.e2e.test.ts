// Examples that change a running web server are run as they stand, but for ports: those of the pages may be taken.

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freeAddresses } from "lifecycle/testing";
import { lexer } from "marked";
import { expect, test } from "vitest";
import { whileRunning } from "../../src/reference/programs.ts";
import { repository } from "./code-blocks.ts";

/** The blocks of a page that speak of the server `hello`, as one script. */
function scriptOf(path: string): string {
  const blocks = lexer(readFileSync(join(repository, path), "utf8")).flatMap((token) =>
    token.type === "code" && token.lang === "sh" && String(token.text).includes("/servers/hello")
      ? [String(token.text)]
      : [],
  );
  expect(blocks.length, path).toBeGreaterThan(0);
  return blocks.join("\n");
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl).each([
  ["docs/quick-start.md", ["hello"]],
  ["README.md", ["hello", "good morning"]],
])(
  "%s",
  async (path, answers) => {
    const folder = mkdtempSync(join(tmpdir(), "docs-examples-"));
    try {
      const [admin = "", site = ""] = await freeAddresses(2);
      const config = join(folder, "server.json");
      writeFileSync(config, "{}");
      const port = site.split(":")[1] ?? "";
      const script = scriptOf(path)
        .replaceAll("localhost:2019", admin)
        .replaceAll(/(?<=:)8081\b/g, port);
      const environment = { SERVER_ADMIN: admin, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const healthUrl = `http://${admin}/config/`;
      const args = ["run", "--workers", "1", "--config", config];
      await whileRunning("admin-server", args, { healthUrl, environment }, async () => {
        // Each request has to succeed; what the site said stands in the output.
        const curl = 'curl() { command curl --silent --show-error --fail-with-body --max-time 30 "$@"; }';
        const text = `set -e\n${curl}\n${script}\n`;
        const { stdout } = await promisify(execFile)("bash", ["-c", text], { timeout: 60_000 });
        for (const answer of answers) {
          expect(stdout).toContain(answer);
        }
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  180_000,
);
