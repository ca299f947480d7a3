import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventAborted, type EventHandler, eventHandlers } from "server-core/events/server-event";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionModule } from "../../../admin-server/src/testing/provision-module.ts";
import { KnownEvent } from "./known-event.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "exec-"));
});
afterAll(() => rm(folder, { recursive: true }));

const signal = new AbortController().signal;
const handler = (config: object): Promise<EventHandler> => provisionModule(eventHandlers, "exec", config);
const event = () =>
  new KnownEvent({ name: "cert_obtained", module: "tls", at: 0, data: { identifier: "a.example; exit 7" } });
const node = (script: string, ...args: string[]) => ({
  command: process.execPath,
  args: ["-e", script, ...args],
  foreground: true,
});

test("arguments are filled in and pass no shell; the event is its input", async () => {
  const script = `fs.writeFileSync("out", JSON.stringify([process.argv.slice(1), fs.readFileSync(0, "utf8")]))`;
  const exec = await handler({
    ...node(script, "{event.name}", "{event.data.identifier}", "{}"),
    dir: folder,
  });
  const known = event();
  await exec.handle(known, signal);
  const [args, input] = JSON.parse(await readFile(join(folder, "out"), "utf8")) as [string[], string];
  expect(args).toEqual(["cert_obtained", "a.example; exit 7", "{}"]);
  expect(JSON.parse(input)).toEqual({ ...known.cloudEvent() });
});

test("exit codes: one aborts, any other but 0 is a failure with what was printed", async () => {
  const exec = await handler({ ...node(`console.error("no more"); process.exit(3)`), abort_codes: [3] });
  await expect(exec.handle(event(), signal)).rejects.toSatisfy(
    (error) => error instanceof EventAborted && error.message.endsWith("exited with 3: no more"),
  );
  const other = await handler({ ...node(`process.exit(4)`), abort_codes: [3] });
  await expect(other.handle(event(), signal)).rejects.toThrow("exited with 4");
});

test("one that takes too long is killed", async () => {
  const exec = await handler({ ...node(`setInterval(() => {}, 1000)`), timeout: "100ms" });
  await expect(exec.handle(event(), signal)).rejects.toThrow("was killed");
});

test("in the background nobody waits, and there are not too many", async () => {
  const exec = await handler({ ...node(`setInterval(() => {}, 1000)`), foreground: false, timeout: "5s" });
  await Promise.all(Array.from({ length: 10 }, () => exec.handle(event(), signal)));
  await expect(exec.handle(event(), signal)).rejects.toThrow("runs 10 times already");
});

test("a command that is not there, and codes without a foreground", async () => {
  const exec = await handler({ command: "no-such-command", foreground: true });
  await expect(exec.handle(event(), signal)).rejects.toThrow("ENOENT");
  await expect(handler({ command: "x", abort_codes: [1] })).rejects.toThrow(
    "must run commands in foreground to apply abort codes",
  );
});
