// JSON Schema and server agree on every config of the golden serverfiles, and on every damaged form of them.
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../testing/running-server.ts";

const folder = new URL("../../../serverfile/src/golden/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
const golden = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as unknown;

let running: RunningServer;
let validate: ValidateFunction;
beforeAll(async () => {
  running = await RunningServer.start();
  const schema = JSON.parse((await running.admin("GET", "/config/schema")).text) as object;
  const options = { formats: { uri: true }, strict: true, strictTypes: false, allErrors: false } as const;
  validate = new Ajv2020(options).compile(schema);
});
afterAll(() => running.close());

const serverTakes = async (config: unknown) =>
  (await running.admin("POST", "/validate", config)).status === 200;

/**
 * Features that serverfiles can express and this server lacks: schema and server refuse them. The list only shrinks.
 */
const notThere = new Map([
  ["matchers-without-words.json", "/match/0"],
  ["options-ech.json", "encrypted_client_hello"],
  ["tls-issuers.json", "get_certificate"],
  ["tls-policy.json", "insecure_secrets_log"],
]);

/** In how many places of each config a fault is put. */
const containersEach = 3;

type Container = Record<string, unknown>;

/** Every object and list of a config, outermost first. */
function* containers(value: unknown): Generator<Container> {
  if (typeof value === "object" && value !== null) {
    yield value as Container;
    for (const child of Object.values(value)) {
      yield* containers(child);
    }
  }
}

/** Puts a fault in a part of a config. */
type Damage = (container: Container) => void;
const damages: readonly [string, Damage][] = [
  [
    "a member that nobody knows",
    (container) => {
      if (!Array.isArray(container)) {
        container.zz_unknown = 1;
      }
    },
  ],
  [
    "another type",
    (container) => {
      const [key] = Object.keys(container);
      if (key !== undefined) {
        container[key] = typeof container[key] === "object" ? 5 : [[5]];
      }
    },
  ],
];

test.each(names)("takes %s, unless the server has it not", async (name) => {
  const config = golden(name);
  const valid = validate(config);
  if (notThere.has(name)) {
    expect([valid, await serverTakes(config)]).toEqual([false, false]);
    expect(JSON.stringify(validate.errors)).toContain(notThere.get(name));
  } else {
    expect(valid || validate.errors).toBe(true);
  }
});

let tried = 0;

test.each(names.filter((name) => !notThere.has(name)))(
  "agrees with the server on faults in %s",
  async (name) => {
    if (!(await serverTakes(golden(name)))) {
      return; // for reasons that no schema can know: missing files, ports in use
    }
    const count = [...containers(golden(name))].length;
    const step = Math.max(1, Math.floor(count / containersEach));
    for (let index = 0; index < count; index += step) {
      for (const [what, damage] of damages) {
        const config = golden(name);
        const target = [...containers(config)][index] ?? {};
        damage(target);
        tried++;
        const place = `${what} in ${JSON.stringify(target)}`;
        expect([place, validate(config)]).toEqual([place, await serverTakes(config)]);
      }
    }
  },
);

test("many faults were tried", () => {
  expect(tried).toBeGreaterThan(500);
});
