import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SupervisedProcess } from "./supervised-process.ts";

test("options for Node stand before the program, arguments behind it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "supervised-"));
  const program = join(folder, "program.mjs");
  await writeFile(program, "console.log(JSON.stringify([process.execArgv, process.argv.slice(2)]));");
  const nodeOptions = ["--initial-old-space-size=256"];
  const child = new SupervisedProcess(
    { name: "child", program, nodeOptions, arguments: ["--flag", "value"], environment: {}, ports: [] },
    {},
  );
  const line = once(child, "line");
  const ended = once(child, "failed");
  child.start();
  const [text]: string[] = await line;
  expect(JSON.parse(text!)).toEqual([nodeOptions, ["--flag", "value"]]);
  await ended;
  await rm(folder, { recursive: true });
});
