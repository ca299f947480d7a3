// Serverfiles in the style of public ones that need plug-ins: ours, and Caddy with those plug-ins, where
// somebody has built it as `caddy-plugins` beside the other peers.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { adaptServerfile } from "../../../admin-server/src/testing/serverfile.ts";
import { builtPeersFolder } from "../tracing-api/comparison/public-model.ts";

const folder = fileURLToPath(new URL("inputs/", import.meta.url));
const names = readdirSync(folder).sort();
const program = join(process.env.PEERS ?? builtPeersFolder, "caddy-plugins");

/** The config of an input, as JSON has it. */
function adapted(name: string): unknown {
  const filename = join(folder, name);
  return JSON.parse(JSON.stringify(adaptServerfile(readFileSync(filename), { filename }).result));
}

beforeEach(() => {
  const values = {
    EMAIL: "ann@example.com",
    CLOUDFLARE_TOKEN: "x".repeat(40),
    API_KEY: "key",
    CROWDSEC_API_KEY: "key",
    API_SECRET_KEY: "secret",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  for (const [name, value] of Object.entries(values)) {
    vi.stubEnv(name, value);
  }
});

test.each(names)("%s is adapted", (name) => {
  const result = adapted(name) as object;
  expect(Object.keys(result)).toContain("apps");
});

describe.skipIf(!existsSync(program))("Caddy with its plug-ins, where it is", () => {
  test.each(names)("makes the same of %s", (name) => {
    const theirs = execFileSync(
      program,
      ["adapt", "--adapter", "caddyfile", "--config", join(folder, name)],
      {
        encoding: "utf8",
        maxBuffer: 16 * 1024 * 1024,
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    expect(adapted(name)).toEqual(JSON.parse(theirs));
  });
});
