import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

const module = JSON.stringify(new URL("./error-owner.ts", import.meta.url).href);

/** Errors that owners receive in a separate thread that runs `text`. */
async function told(
  text: string,
  mayDie = false,
): Promise<{ readonly told: string[]; readonly died: string | undefined }> {
  const worker = new Worker(
    `import { parentPort } from "node:worker_threads";
import { PassThrough } from "node:stream";
import { EventEmitter } from "node:events";
import { containUncaught, keepOwner, runFor, runForNobody } from ${module};
const tell = (text) => parentPort.postMessage(text);
const owner = (name) => ({ fail: (error) => tell(name + ": " + error.message) });
containUncaught((error, isRejection) => {
  if (!isRejection) { throw error; }
  tell("nobody: " + error.message);
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
${text}
await pause(50);
tell("the thread goes on");`,
    {
      eval: true,
      execArgv: ["--input-type=module"],
      env: { ...process.env, ...(mayDie ? { TEST_MAY_DIE: "yes" } : {}) },
    },
  );
  const list: string[] = [];
  let died: string | undefined;
  worker.on("message", (text: string) => list.push(text));
  worker.on("error", (error: Error) => {
    died = error.message;
  });
  await new Promise((resolve) => worker.once("exit", resolve));
  return { told: list, died };
}

test.each([
  ["a timer", `setTimeout(() => { throw new Error("x"); });`],
  ["a promise that nobody waits for", `pause(1).then(() => { throw new Error("x"); });`],
  ["an async function that nobody waits for", `(async () => { await pause(1); throw new Error("x"); })();`],
  ["a stream without a listener", `new PassThrough().destroy(new Error("x"));`],
  [
    "an emitter without a listener",
    `queueMicrotask(() => new EventEmitter().emit("error", new Error("x")));`,
  ],
])("an error of %s goes to whose work it came of", async (_, text) => {
  expect(await told(`runFor(owner("a"), () => { ${text} });`)).toEqual({
    told: ["a: x", "the thread goes on"],
    died: undefined,
  });
});

test("each error goes to its own owner, and what two emit is told twice", async () => {
  const { told: list } = await told(`
    for (const name of ["a", "b"]) {
      runFor(owner(name), () => setTimeout(() => { throw new Error("x"); }));
    }
    runFor(owner("c"), async () => { await pause(5); setTimeout(() => { throw new Error("y"); }); throw new Error("z"); });`);
  expect(list).toEqual(["a: x", "b: x", "c: z", "c: y", "the thread goes on"]);
});

test("work for another owner, or for nobody, ends where it was begun, also when it throws", async () => {
  const { told: list } = await told(`
    const late = (text) => setTimeout(() => { throw new Error(text); });
    runFor(owner("a"), () => {
      for (const other of [owner("b"), owner("c")]) {
        try { runFor(other, () => { late("1"); throw new Error("thrown"); }); } catch {}
      }
      runForNobody(() => Promise.reject(new Error("2")));
      runFor(owner("d"), (text, more) => { late(text + more); return 1; }, "3", "!");
      late("4");
    });`);
  expect(list.sort()).toEqual(["a: 4", "b: 1", "c: 1", "d: 3!", "nobody: 2", "the thread goes on"]);
});

test("a callback of what outlives the work is bound to it", async () => {
  const { told: list } = await told(`
    const kept = new EventEmitter();
    runFor(owner("a"), () => kept.on("later", keepOwner(() => pause(1).then(() => { throw new Error("x"); }))));
    runForNobody(() => kept.emit("later"));`);
  expect(list).toEqual(["a: x", "the thread goes on"]);
});

test("an error that is nobody's ends the thread, a rejection does not", async () => {
  expect(await told(`Promise.reject(new Error("x"));`)).toEqual({
    told: ["nobody: x", "the thread goes on"],
    died: undefined,
  });
  expect(
    (
      await told(
        `runFor(owner("a"), () => runForNobody(() => setTimeout(() => { throw new Error("x"); })));`,
        true,
      )
    ).died,
  ).toBe("x");
});
