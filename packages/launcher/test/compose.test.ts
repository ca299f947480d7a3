// docker-compose.yml and docker/Dockerfile may name only options that the processes have.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const compose = z
  .object({
    services: z.record(
      z.string(),
      z.object({
        build: z.object({ target: z.string(), dockerfile: z.string() }),
        environment: z.record(z.string(), z.string()).default({}),
      }),
    ),
  })
  .parse(parse(readFileSync(`${root}docker-compose.yml`, "utf8")));
const dockerfile = readFileSync(`${root}docker/Dockerfile`, "utf8");

/** The lines of one image in the Dockerfile. */
function stage(target: string): string {
  const start = dockerfile.indexOf(`\nFROM run AS ${target}\n`);
  expect(start, `target ${target}`).toBeGreaterThan(0);
  const end = dockerfile.indexOf("\nFROM ", start + 1);
  return dockerfile.slice(start, end === -1 ? undefined : end);
}

const ownVariables = /^(OTEL_|XDG_|NODE_ENV$)/;

describe.each(Object.entries(compose.services))("%s", (_, service) => {
  const text = stage(service.build.target);
  const program = /ENTRYPOINT \["node", (?:"--[^"]+", )*"([^"]+)"\]/.exec(text)?.[1] ?? "";

  test("its program is in the image and has every variable that is set", () => {
    const folder = program.split("/").slice(0, 2).join("/");
    expect(text).toContain(` ${folder}\n`);
    const help = execFileSync(process.execPath, [root + program, "--help"], { encoding: "utf8" });
    const inImage = [...text.matchAll(/(?:^ENV| )([A-Z_]+)=/gm)].map((match) => match[1] ?? "");
    for (const name of [...inImage, ...Object.keys(service.environment)]) {
      if (!ownVariables.test(name)) expect(help).toContain(`[${name}]`);
    }
  });
});

const hasCompose = spawnSync("docker-compose", ["version"]).status === 0;

test.skipIf(!hasCompose)("docker-compose reads the file (skipped without docker-compose)", () => {
  const { status, stderr } = spawnSync("docker-compose", ["config"], { cwd: root, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
