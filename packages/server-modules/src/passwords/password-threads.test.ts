import { hashSync } from "bcryptjs";
import { expect, test } from "vitest";
import { PasswordThreads } from "./password-threads.ts";

const hash = hashSync("right", 4);
const check = (password: string, of = hash) => ({ algorithm: "bcrypt" as const, hash: of, password });

test("threads start with work, take one check each, and end when idle", async () => {
  const threads = new PasswordThreads(2, 50);
  expect([threads.running, threads.hasRoom]).toEqual([0, true]);
  const answers = [threads.verify(check("right")), threads.verify(check("wrong"))];
  expect([threads.running, threads.hasRoom]).toEqual([2, false]);
  expect(await Promise.all(answers)).toEqual([true, false]);
  expect(threads.hasRoom).toBe(true);
  await expect.poll(() => threads.running).toBe(0);
  expect(await threads.verify(check("right"))).toBe(true);
  await threads.close();
});

test("a hash that cannot be used is an error of its check alone", async () => {
  const threads = new PasswordThreads(1);
  expect(await threads.verify(check("x", "$2b$nonsense"))).toBe(false);
  await expect(
    threads.verify({
      algorithm: "argon2id",
      hash: "$argon2id$v=19$m=9999999,t=1,p=1$AAAA$AAAA",
      password: "",
    }),
  ).rejects.toThrow("over the limits");
  expect([await threads.verify(check("right")), threads.running]).toEqual([true, 1]);
  await threads.close();
});

test("a thread that ends in the midst fails its check and is replaced", async () => {
  const threads = new PasswordThreads(1);
  const cut = threads.verify(check("x", hashSync("y", 10)));
  await Promise.all([expect(cut).rejects.toMatchObject({ code: "THREAD_DIED" }), threads.close()]);
  expect(await threads.verify(check("right"))).toBe(true);
  await threads.close();
});
