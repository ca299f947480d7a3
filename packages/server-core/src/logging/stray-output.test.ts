import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { StrayOutput } from "./stray-output.ts";

function makeStray(): StrayOutput {
  const stray = new StrayOutput();
  onTestFinished(() => stray.close());
  return stray;
}

test("what the console and warnings of Node say is taken, and all is as it was afterwards", async () => {
  const { log, error } = console;
  const printers = process.listeners("warning");
  const stray = makeStray();
  const taken: string[] = [];
  const take = (level: string, message: string) => void taken.push(`${level} ${message}`);
  stray.follow(take);
  stray.follow(take);
  console.log("a %s", "text", { a: 1 });
  console.error(new Error("broken").message);
  console.debug("fine");
  const warned = once(process, "warning");
  process.emitWarning("is old", "DeprecationWarning");
  await warned;
  stray.leave(() => {});
  console.warn("still");
  stray.leave(take);
  expect([console.log, console.error]).toEqual([log, error]);
  expect(process.listeners("warning")).toEqual(printers);
  expect(taken).toEqual([
    "info a text { a: 1 }",
    "error broken",
    "debug fine",
    "warn DeprecationWarning: is old",
    "warn still",
  ]);
});

test("a taker that prints does not get that again", () => {
  const stray = makeStray();
  let count = 0;
  stray.follow(() => {
    count++;
    console.error("trouble");
  });
  console.log("once");
  expect(count).toBe(1);
});
