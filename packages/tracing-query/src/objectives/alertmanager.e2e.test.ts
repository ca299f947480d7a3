import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ObjectiveBoard } from "./objective-board.ts";

const program = ["prometheus-alertmanager", "alertmanager"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);

let folder: string;
let alertmanager: ChildProcess | undefined;
let address = "";

beforeAll(async () => {
  if (program === undefined) {
    return;
  }
  folder = await mkdtemp(join(tmpdir(), "alertmanager-"));
  const config = join(folder, "config.yaml");
  await writeFile(config, "route: { receiver: none }\nreceivers: [{ name: none }]\n");
  const started = spawn(
    program,
    [
      ...[`--config.file=${config}`, `--storage.path=${folder}`],
      ...["--web.listen-address=127.0.0.1:0", "--cluster.listen-address="],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  alertmanager = started;
  let text = "";
  started.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const listening = /Listening on.*?address=127\.0\.0\.1:(\d+)/;
  await vi.waitFor(() => expect(text).toMatch(listening), { timeout: 60_000, interval: 50 });
  address = `http://127.0.0.1:${listening.exec(text)?.[1]}`;
});
afterAll(async () => {
  if (alertmanager !== undefined) {
    const ended = once(alertmanager, "exit");
    alertmanager.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  }
});

test.skipIf(program === undefined)(
  "a real Alertmanager hears of alerts, and of their end (skipped without one)",
  async () => {
    const board = new ObjectiveBoard({
      path: "",
      log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
      readCounts: async (_, { startUnixMs, endUnixMs, stepMs }) =>
        Array.from({ length: Math.ceil((endUnixMs - startUnixMs) / stepMs) }, (_none, step) => ({
          step,
          total: 100,
          good: 50,
        })),
    });
    board.use(`
ui: http://tracing.example
objectives: [{ name: checkout, service: shop, target: 99.9, labels: { team: web } }]
alertmanagers: [{ url: "${address}" }]`);
    const alerts = async () => {
      const found = (await (await fetch(`${address}/api/v2/alerts`)).json()) as {
        labels: Record<string, string>;
        generatorURL: string;
      }[];
      return found.map(({ labels, generatorURL }) => ({ labels, generatorURL }));
    };
    const labels = { alertname: "ErrorBudgetBurn", objective: "checkout", service: "shop", team: "web" };
    try {
      await board.round();
      await expect.poll(async () => (await alerts()).length, { timeout: 60_000 }).toBe(2);
      expect(await alerts()).toEqual(
        expect.arrayContaining([
          { labels: { ...labels, severity: "page" }, generatorURL: "http://tracing.example/objectives" },
          { labels: { ...labels, severity: "ticket" }, generatorURL: "http://tracing.example/objectives" },
        ]),
      );
      board.use(`objectives: []\nalertmanagers: [{ url: "${address}" }]\nui: http://tracing.example`);
      await expect.poll(async () => (await alerts()).length, { timeout: 60_000 }).toBe(0);
      expect(board.targets[0]?.counts).toMatchObject({ failed: 0, refused: 0, dropped: 0 });
    } finally {
      await board.close(AbortSignal.timeout(1_000));
    }
  },
);
