import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { misbehaviours, startBadUpstream } from "./testing/faults/bad-upstream.ts";
import {
  attack,
  type ClientWay,
  clientWays,
  H2Client,
  type Outcome,
  Sibling,
} from "./testing/faults/fault-clients.ts";
import { type Moment, moments, type Way, ways } from "./testing/faults/fault-kinds.ts";
import { faultChains, faultConfig } from "./testing/faults/fault-sites.ts";
import { ServerProcess } from "./testing/server-process.ts";

/** Names of the chains; their configs need addresses, which are known when the test runs. */
const chainNames = Object.keys(await faultChains({ bad: "127.0.0.1:1" }));

let folder: string;
let server: ServerProcess;
let admin: string;
let port: number;
let config: unknown;
let upstream: Awaited<ReturnType<typeof startBadUpstream>>;
let siblings: Sibling[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "faults-"));
  upstream = await startBadUpstream();
  const chains = await faultChains({ bad: upstream.address });
  config = faultConfig(chains, "127.0.0.1:0");
  const file = join(folder, "site.json");
  await writeFile(file, JSON.stringify(config));
  server = new ServerProcess(["run", "--workers", "2", "--config", file], {
    XDG_CONFIG_HOME: folder,
    SERVER_ADMIN: "127.0.0.1:0",
  });
  admin = await server.adminUrl();
  port = Number(new URL(await server.site()).port);
  // The system spreads these connections over both workers.
  siblings = Array.from({ length: 12 }, () => new Sibling(port));
});

afterAll(async () => {
  for (const sibling of siblings) {
    sibling.close();
  }
  server.child.kill("SIGKILL");
  await server.exit;
  upstream.close();
  await rm(folder, { recursive: true });
});

afterEach(async () => {
  expect(await Promise.all(siblings.map((sibling) => sibling.ask()))).toEqual(siblings.map(() => "ka"));
  expect(server.lines.filter((line) => /uncaught (?:error|exception)|worker \d+ died/i.test(line))).toEqual(
    [],
  );
  expect(server.child.exitCode).toBeNull();
});

const reload = () =>
  ask(`${admin}/load`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Cache-Control": "must-revalidate" },
    body: JSON.stringify(config),
  });

const target = (name: string, at: Moment, way: Way) => `/${name}?at=${at}&way=${way}`;

/**
 * Outcomes of all requests. Fails with the names of all hanging requests, because a single name does not show the
 * pattern.
 */
async function outcomesOf(attacks: readonly Promise<Outcome>[]): Promise<readonly Outcome[]> {
  const settled = await Promise.allSettled(attacks);
  expect(settled.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []))).toEqual([]);
  return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

/** Whatever happens, a client gets a status or sees its connection cut. */
function expectAnswer({ status, whole }: Outcome): void {
  expect(status === 0 ? !whole : status >= 200 && status <= 599).toBe(true);
}

describe.each(chainNames)("%s", (name) => {
  test("sabotage at every moment, in every way", async () => {
    const h2 = new H2Client(port);
    for (const at of moments) {
      const outcomes = await outcomesOf(
        ways.flatMap((way) => [
          attack(port, target(name, at, way), "whole"),
          h2.attack(target(name, at, way), false),
        ]),
      );
      outcomes.forEach(expectAnswer);
    }
    expect(h2.session.destroyed).toBe(false);
    h2.close();
  });

  test("clients that break off, stall or send nonsense", async () => {
    const h2 = new H2Client(port);
    const outcomes = await outcomesOf([
      ...clientWays.flatMap((client: ClientWay) =>
        (["body", "piece", "wait"] as const).map((at) => attack(port, target(name, at, "late"), client)),
      ),
      ...moments.map((at) => h2.attack(target(name, at, "late"), true)),
    ]);
    outcomes.forEach(expectAnswer);
    expect(h2.session.destroyed).toBe(false);
    h2.close();
  });

  test("upstreams that break the protocol, with the config swapped meanwhile", async () => {
    const h2 = new H2Client(port);
    const attacks = misbehaviours.flatMap((each) => [
      attack(port, `/${name}?at=later&way=reject&upstream=${each}`, "whole"),
      h2.attack(`/${name}?at=later&way=reject&upstream=${each}`, false),
      attack(port, `/${name}?at=later&way=reject&upstream=${each}`, "reset"),
      attack(port, `/${name}?at=later&way=reject&plain&upstream=${each}`, "whole"),
    ]);
    expect((await reload()).status).toBe(200);
    (await outcomesOf(attacks)).forEach(expectAnswer);
    h2.close();
  });
});

test.each<[Moment, Way, number, boolean]>([
  ["before", "throw", 500, true],
  ["head", "throw", 500, true],
  ["piece", "throw", 200, false],
  ["filter", "throw", 200, false],
  ["answered", "throw", 200, true],
  ["end", "throw", 200, true],
  ["later", "late", 200, true],
  ["later", "stream", 200, true],
  ["wait", "throw", 500, true],
  ["wait", "reject", 500, true],
  ["wait", "late", 500, true],
  ["wait", "emit", 500, true],
  ["wait", "stream", 500, true],
])("a handler that fails %s by %s is answered with %d, whole: %s", async (at, way, status, whole) => {
  expect(await attack(port, target("vars", at, way), "whole")).toEqual({ status, whole });
  const h2 = new H2Client(port);
  expect(await h2.attack(target("vars", at, way), false)).toEqual({ status, whole });
  h2.close();
});

test.each([
  ["body-limit-proxy", "whole", 413],
  ["body-limit-fastcgi", "whole", 413],
  ["body-limit-auth", "whole", 413],
  ["body-pace-proxy", "stalls", 408],
  ["dead-upstream", "whole", 502],
] as const)("%s with a client that %s: %d", async (name, client, status) => {
  expect((await attack(port, `/${name}`, client)).status).toBe(status);
  if (client === "whole") {
    const h2 = new H2Client(port);
    expect((await h2.attack(`/${name}`, false)).status).toBe(status);
    h2.close();
  }
});

test("a matcher that throws is a 500, and one that fails later fails its request alone", async () => {
  expect((await attack(port, "/matcher?way=throw", "whole")).status).toBe(500);
  for (const way of ways) {
    expectAnswer(await attack(port, `/matcher?at=wait&way=${way}`, "whole"));
  }
});
