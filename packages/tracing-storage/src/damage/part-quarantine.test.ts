import { createLogger, createMetrics } from "lifecycle";
import { expect, test } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine-error.ts";
import { PartQuarantine } from "./part-quarantine.ts";

const path = "/data/engine/store/506/506dc9e1-414a-4d00-bf6d-7a3f2b5c4f10/1_1_1_0/v.bin";
const damage = new EngineError(40, `Checksum doesn't match: While reading ${path}`);

test("an engine that cannot be asked is no second failure of the read that found the damage", async () => {
  const run = async () => {
    throw new EngineError(236, "the server is stopping");
  };
  const quarantine = new PartQuarantine({
    engine: { run } as unknown as Engine,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics: createMetrics("test"),
    health: { degrade() {} },
    noteFile: "/nowhere/damaged-parts.json",
  });
  expect(await quarantine.suspect(damage)).toBe(false);
  expect(await quarantine.suspect(new EngineError(60, "Unknown table"))).toBe(false);
});
