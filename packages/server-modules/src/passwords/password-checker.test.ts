import { Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { SingleThread } from "server-core/threads/thread-messages";
import { expect, test } from "vitest";
import { askPasswordCheck } from "./ask-password-check.ts";
import { type HashThreads, PasswordChecker } from "./password-checker.ts";

/** One thread whose computations the test ends. */
class HeldThread implements HashThreads {
  readonly size = 1;
  readonly begun: string[] = [];
  #end: ((right: boolean) => void) | undefined;

  get hasRoom(): boolean {
    return this.#end === undefined;
  }

  verify({ password }: { password: string }): Promise<boolean> {
    this.begun.push(password);
    return new Promise((resolve) => {
      this.#end = (right) => {
        this.#end = undefined;
        resolve(right);
      };
    });
  }

  async end(right: boolean): Promise<void> {
    this.#end?.(right);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {}
}

async function open(waiting = 64) {
  const messages = new SingleThread();
  const metrics = new Registry();
  const thread = new HeldThread();
  const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  const checker = new PasswordChecker(messages, metrics, log, { threads: thread, waiting });
  const leave: (() => void)[] = [];
  return {
    checker,
    thread,
    ask: (password: string, client = "192.0.2.1", remember = false) =>
      askPasswordCheck(
        messages,
        { algorithm: "bcrypt", hash: "$", password },
        { client, remember, onGone: (callback) => leave.push(callback) },
      ),
    /** The client of the question of this index leaves. */
    leave: async (index: number) => leave[index]?.(),
    counted: async (outcome: string) =>
      (await metrics.getMetricsAsJSON())
        .find(({ name }) => name === "server_password_checks_total")
        ?.values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0,
  };
}

test("equal attempts share one computation", async () => {
  const { thread, ask } = await open();
  const answers = [ask("a"), ask("a"), ask("a", "192.0.2.9")];
  await thread.end(true);
  expect(await Promise.all(answers)).toEqual([true, true, true]);
  expect(thread.begun).toEqual(["a"]);
});

test("a right password is remembered where that is wanted, a wrong one never", async () => {
  const { thread, ask, counted } = await open();
  const first = ask("a", "c", true);
  await thread.end(true);
  expect([await first, await ask("a", "c", true), await counted("remembered")]).toEqual([true, true, 1]);
  const unremembered = ask("a", "c", false);
  await thread.end(true);
  expect([await unremembered, thread.begun]).toEqual([true, ["a", "a"]]);
  for (let round = 0; round < 2; round++) {
    const wrong = ask("b", "c", true);
    await thread.end(false);
    expect(await wrong).toBe(false);
  }
  expect(thread.begun).toEqual(["a", "a", "b", "b"]);
});

test("what does not fit into the queue is refused with a time", async () => {
  const { thread, ask, counted } = await open(2);
  const answers = ["a", "b", "c"].map((password) => ask(password));
  const before = Date.now();
  await expect(ask("d")).rejects.toMatchObject({
    code: "PASSWORDS_BUSY",
    message: "2 password checks wait already",
  });
  const error = await ask("e").catch((thrown) => thrown);
  expect(error.retryAtMs).toBeGreaterThanOrEqual(before + 1_000);
  expect(error.retryAtMs).toBeLessThanOrEqual(Date.now() + 60_000);
  // Another client has its turn all the same, and the newest of the first gives way.
  const other = ask("x", "198.51.100.1");
  await expect(answers[2]).rejects.toMatchObject({ code: "PASSWORDS_BUSY" });
  for (let round = 0; round < 3; round++) {
    await thread.end(false);
  }
  expect(await Promise.all([answers[0], answers[1], other])).toEqual([false, false, false]);
  expect(thread.begun).toEqual(["a", "b", "x"]);
  expect(await counted("refused")).toBe(3);
});

test("the work of clients that left is dropped, unless others wait for it", async () => {
  const { thread, ask, leave, counted } = await open();
  const answers = [ask("a"), ask("b"), ask("c"), ask("c"), ask("d")].map((answer) =>
    answer.catch((error) => error.code),
  );
  await leave(1);
  await leave(2);
  await leave(0);
  for (let round = 0; round < 3; round++) {
    await thread.end(false);
  }
  expect(await Promise.all(answers)).toEqual(["CLIENT_GONE", "CLIENT_GONE", "CLIENT_GONE", false, false]);
  expect(thread.begun).toEqual(["a", "c", "d"]);
  expect(await counted("dropped")).toBe(3);
  await leave(3); // after the answer: nothing to drop
  expect(await counted("dropped")).toBe(3);
});

test("what a thread that died had asked for is dropped", async () => {
  const { checker, thread, ask } = await open();
  const answers = [ask("a"), ask("b")].map((answer) => answer.catch((error) => error.code));
  checker.forgetThread(0);
  await thread.end(true);
  expect(await Promise.all(answers)).toEqual(["CLIENT_GONE", "CLIENT_GONE"]);
  expect(thread.begun).toEqual(["a"]);
});

test("a computation that fails fails its waiters and holds up no others", async () => {
  const { thread, ask } = await open();
  const verify = thread.verify.bind(thread);
  thread.verify = () => Promise.reject(new Error("no hash"));
  await expect(ask("a")).rejects.toMatchObject({ code: "THREAD", message: "no hash" });
  thread.verify = verify;
  const next = ask("b");
  await thread.end(true);
  expect(await next).toBe(true);
});
