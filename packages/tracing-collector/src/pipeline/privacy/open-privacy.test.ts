import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics, parseOptions } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordedLog } from "../../../test/recorded-log.ts";
import { rowsOf, spanOf, spansOf } from "../../../test/span-rows-fixture.ts";
import { collectorOptions } from "../../options/collector-options.ts";
import { openPrivacy } from "./open-privacy.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "privacy-"));
  path = join(folder, "privacy.yaml");
});
afterEach(() => rm(folder, { recursive: true }));

function contextOf() {
  const degraded: (string | undefined)[] = [];
  const health = { degrade: (_: string, reason: string | undefined) => void degraded.push(reason) };
  const metrics = createMetrics("test");
  return { degraded, metrics, log: recordedLog(), health };
}

const optionsOf = (...args: string[]) =>
  parseOptions(collectorOptions, { arguments: args, environment: {} }).options;

test("without a file there is no step", async () => {
  const { steps } = await openPrivacy(optionsOf(), contextOf());
  expect(steps).toEqual([]);
});

test("a faulty file stops the start", async () => {
  await writeFile(path, "rules:\n  - action: burn\n");
  await expect(openPrivacy(optionsOf("--collector.privacy.rules-file", path), contextOf())).rejects.toThrow(
    `option --collector.privacy.rules-file: ${path}:2:13: rules[0].action: `,
  );
});

test("rules are read again; a mistake leaves them as they were, and is said once", async () => {
  const context = contextOf();
  const { degraded, metrics, log } = context;
  await writeFile(path, "rules:\n  - { name: mail, action: mask, detect: [email] }\n");
  const args = ["--collector.privacy.rules-file", path, "--collector.privacy.reload-interval", "0s"];
  const reloading = await openPrivacy(optionsOf(...args), context);
  const nameAfter = () => spansOf(reloading.steps[0]!.apply(rowsOf([spanOf({ name: "a@b.de x" })])))[0]!.name;
  const metric = async (name: string) =>
    (await metrics.metrics())
      .split("\n")
      .filter((line) => line.startsWith(`tracing_collector_privacy_${name}`));
  expect(nameAfter()).toBe("**** x");
  expect(await metric("values_total{")).toEqual([
    'tracing_collector_privacy_values_total{rule="mail",action="mask",mode="applied"} 1',
  ]);

  await writeFile(path, "rules:\n  - { action: mask, detect: [emial] }\n");
  await reloading.look();
  await reloading.look();
  expect(nameAfter()).toBe("**** x");
  expect(degraded).toEqual([expect.stringContaining(`${path}:2:30: rules[0].detect[0]: `)]);
  expect(log.messages("error")).toHaveLength(1);
  expect(await metric("rules_up_to_date ")).toEqual(["tracing_collector_privacy_rules_up_to_date 0"]);
  expect(await metric("reloads_total{")).toEqual([
    'tracing_collector_privacy_reloads_total{result="refused"} 1',
  ]);

  await rm(path);
  await reloading.look();
  expect(degraded.at(-1)).toContain("cannot be read: ENOENT");

  await writeFile(path, "rules:\n  - { name: all, action: remove, in: [span-name], dry-run: true }\n");
  await reloading.look();
  expect(degraded.at(-1)).toBeUndefined();
  expect(nameAfter()).toBe("a@b.de x");
  expect(await metric("rules_up_to_date ")).toEqual(["tracing_collector_privacy_rules_up_to_date 1"]);
  expect(await metric("values_total{")).toEqual([
    'tracing_collector_privacy_values_total{rule="mail",action="mask",mode="applied"} 2',
    'tracing_collector_privacy_values_total{rule="all",action="remove",mode="dry-run"} 1',
  ]);
  await reloading.close();
});

test("the file is looked at by itself", async () => {
  await writeFile(path, "rules:\n  - { action: mask, detect: [email] }\n");
  const options = optionsOf(
    "--collector.privacy.rules-file",
    path,
    "--collector.privacy.reload-interval",
    "10ms",
  );
  const { steps, close } = await openPrivacy(options, contextOf());
  await writeFile(path, "rules:\n  - { action: mask, detect: [email], with: gone }\n");
  const nameAfter = () => spansOf(steps[0]!.apply(rowsOf([spanOf({ name: "a@b.de" })])))[0]!.name;
  await expect.poll(nameAfter, { timeout: 60_000 }).toBe("gone");
  await close();
});
