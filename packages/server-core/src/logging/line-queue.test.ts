import { expect, test } from "vitest";
import { LineQueue } from "./line-queue.ts";

test("lines of one turn go in one piece, in order", async () => {
  const sent: string[] = [];
  const queue = new LineQueue({ send: async (lines) => void sent.push(lines.toString()), lostLine: String });
  queue.push("a\n");
  queue.push("ü\n");
  await queue.drained();
  queue.push("c\n");
  await queue.drained();
  expect(sent).toEqual(["a\nü\n", "c\n"]);
});

test("what is too much is dropped, counted and told", async () => {
  const gate = Promise.withResolvers<void>();
  const sent: string[] = [];
  const queue = new LineQueue({
    send: async (lines) => {
      sent.push(lines.toString());
      await gate.promise;
    },
    lostLine: (count) => `lost ${count}\n`,
  });
  queue.push("first\n");
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const line = `${"x".repeat(1024 * 1024 - 1)}\n`;
  for (let count = 0; count < 10; count++) {
    queue.push(line);
  }
  expect(queue.lost).toBe(2);
  gate.resolve();
  await queue.drained();
  expect(sent.map((each) => each.length)).toEqual([6, 8 * 1024 * 1024 + 7]);
  expect(sent[1]?.endsWith("lost 2\n")).toBe(true);
  expect(queue.lost).toBe(0);
});

test("what cannot be sent is counted", async () => {
  const queue = new LineQueue({ send: () => Promise.reject(new Error("no disk")), lostLine: String });
  queue.push("a");
  queue.push("b");
  await queue.drained();
  expect(queue.lost).toBe(2);
});
