// docker-compose.yml and docker/Dockerfile may name only options that the processes have.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const service = z.object({
  build: z.object({ target: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  hostname: z.string().optional(),
  read_only: z.boolean().optional(),
  volumes: z.array(z.string()).default([]),
});
const compose = z
  .object({ services: z.record(z.string(), service) })
  .parse(parse(readFileSync(`${root}docker-compose.yml`, "utf8"), { merge: true }));
const ours = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
const dockerfile = readFileSync(`${root}docker/Dockerfile`, "utf8");
const serverfile = readFileSync(`${root}docker/Serverfile`, "utf8");

/** Returns the lines of one image in the Dockerfile. */
function stage(target: string): string {
  const start = dockerfile.indexOf(`\nFROM run AS ${target}\n`);
  expect(start, `target ${target}`).toBeGreaterThan(0);
  const end = dockerfile.indexOf("\nFROM ", start + 1);
  return dockerfile.slice(start, end === -1 ? undefined : end);
}

const ownVariables = /^(OTEL_|XDG_)/;

describe.each(ours)("%s", (name, { build, environment, read_only, volumes }) => {
  const target = build?.target ?? "";
  const text = stage(target);

  test("its program has every variable that is set", () => {
    const program = /ENTRYPOINT \["node", "(.+)\.[cm]js"\]/.exec(text)?.[1] ?? "";
    const folder = target.replace(/^example-/, "examples/").replace(/^(?!examples)/, "packages/");
    const help = execFileSync(process.execPath, [`${root}${folder}/bin/${program}.ts`, "--help"], {
      encoding: "utf8",
    });
    const inImage = [...text.matchAll(/(?:^ENV| )([A-Z_]+)=/gm)].map((match) => match[1] ?? "");
    for (const variable of [...inImage, ...Object.keys(environment)]) {
      const isKnown =
        ownVariables.test(variable) ||
        help.includes(`[${variable}]`) ||
        (target === "admin-server" && serverfile.includes(`{$${variable}:`));
      expect(isKnown, variable).toBe(true);
    }
  });

  test("writes nowhere but to a volume of its own", () => {
    expect(read_only).toBe(true);
    const named = volumes
      .map((volume) => volume.split(":")[0] ?? "")
      .filter((source) => !source.includes("/"));
    const others = ours.filter(([other]) => other !== name).flatMap(([, { volumes: of }]) => of);
    for (const source of named) {
      expect(others.filter((volume) => volume.startsWith(`${source}:`))).toEqual([]);
    }
  });
});

test("the cluster's servers are those of its configuration, each with its place", () => {
  const config = readFileSync(`${root}docker/clickhouse/cluster.xml`, "utf8");
  const inConfig = [...config.matchAll(/<shard>[\s\S]*?<\/shard>/g)].flatMap(([shard], index) =>
    [...shard.matchAll(/<host>(.+)<\/host>/g)].map(([, host = ""], replica) => ({
      host,
      SHARD: `${index + 1}`,
      REPLICA: `r${replica + 1}`,
    })),
  );
  const inCompose = Object.entries(compose.services)
    .filter(([, { environment }]) => environment.SHARD !== undefined)
    .map(
      ([
        host,
        {
          hostname,
          environment: { SHARD, REPLICA },
        },
      ]) => {
        // A replica gives its host name to the other replicas through the Keeper.
        expect(hostname).toBe(host);
        return { host, SHARD, REPLICA };
      },
    );
  expect(inCompose).toEqual(inConfig);
  expect(inConfig).toHaveLength(4);
  const variables = readFileSync(`${root}docker/cluster.env`, "utf8");
  const urls = inConfig.map(({ host }) => `http://${host}:8123`).join(",");
  expect(variables).toContain(`\nCLICKHOUSE_URL=${urls}\n`);
  for (const name of ["storage", /\nSTORE_TARGETS=(.+)\n/.exec(variables)?.[1]]) {
    expect(existsSync(`${root}docker/prometheus/${name}.yml`), `${name}`).toBe(true);
  }
});

test("the server takes the serverfile of its front door", () => {
  const server = `${root}packages/admin-server/bin/server.ts`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [server, "validate", "--config", `${root}docker/Serverfile`],
    { encoding: "utf8" },
  );
  expect(stdout + stderr).toBe("Valid configuration\n");
});

test.each(["docker/Serverfile", "deploy/kubernetes/Serverfile", "deploy/helm/tracing/files/Serverfile"])(
  "%s looks its collectors up again after some seconds: the default is a minute",
  (file) => {
    const text = readFileSync(`${root}${file}`, "utf8");
    const found = [...text.matchAll(/dynamic a .*\{\s+refresh (\d+)s\s/g)];
    const seconds = found.map(([, number]) => Number(number));
    expect(seconds).toHaveLength(text.split("dynamic a ").length - 1);
    expect(seconds.length).toBeGreaterThan(0);
    for (const each of seconds) {
      expect(each).toBeLessThanOrEqual(5);
    }
  },
);

const hasCompose = spawnSync("docker-compose", ["version"]).status === 0;

test.skipIf(!hasCompose)("docker-compose reads the file (skipped without docker-compose)", () => {
  const { status, stderr } = spawnSync("docker-compose", ["config"], { cwd: root, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
