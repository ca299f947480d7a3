import { expect, test } from "vitest";
import { type ResourceKind, UsagePool } from "./usage-pool.ts";

interface Door {
  readonly name: string;
  close(): void;
}
const doors: ResourceKind<Door> = { name: "doors" };

function carpenter() {
  const closed: string[] = [];
  return { closed, make: (name: string) => () => ({ name, close: () => void closed.push(name) }) };
}

test("makes a resource once and closes it after its last user", async () => {
  const pool = new UsagePool();
  const { closed, make } = carpenter();
  const [first, second] = await Promise.all([
    pool.acquire(doors, "a", make("first")),
    pool.acquire(doors, "a", make("second")),
  ]);
  expect(second.value).toBe(first.value);
  await first.release();
  await first.release();
  expect(closed).toEqual([]);
  expect(pool.list(doors)).toEqual([first.value]);
  await second.release();
  expect(closed).toEqual(["first"]);
  expect(pool.list(doors)).toEqual([]);
});

test("a failed making leaves nothing behind", async () => {
  const pool = new UsagePool();
  const fail = () => Promise.reject(new Error("no wood"));
  const both = await Promise.allSettled([pool.acquire(doors, "a", fail), pool.acquire(doors, "a", fail)]);
  expect(both.map((each) => each.status)).toEqual(["rejected", "rejected"]);
  const { make } = carpenter();
  expect((await pool.acquire(doors, "a", make("later"))).value.name).toBe("later");
});
