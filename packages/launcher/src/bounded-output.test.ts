import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { BoundedOutput } from "./bounded-output.ts";

test("lines wait for a reader that pauses up to a limit, the rest is counted and told", () => {
  const read: string[] = [];
  const unread: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      read.push(text);
      unread.push(done);
    },
  });
  const readAll = () => {
    while (unread.length > 0) {
      unread.shift()?.();
    }
  };
  const output = new BoundedOutput(stream, 30);
  output.write("longer than the limit of thirty bytes\n");
  output.write("lost\n");
  output.write("lost too\n");
  unread.shift()?.();
  output.write("first\n");
  output.write("second\n");
  readAll();
  output.write("third\n");
  readAll();
  expect(read).toEqual([
    "longer than the limit of thirty bytes\n",
    "2 lines were left out: this output was not read in time\n",
    "first\n",
    "1 lines were left out: this output was not read in time\n",
    "third\n",
  ]);
});
