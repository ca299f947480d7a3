import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { HttpError } from "../http-error.ts";
import { makeExchange } from "../testing/make-exchange.ts";
import { FilteredBody } from "./filtered-body.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

class NoX extends FilteredBody {
  protected override pass(chunk: Buffer): void {
    if (chunk.includes("x")) {
      throw new HttpError(422);
    }
  }
}

test("it takes nothing of its source before it is read", async () => {
  const source = new PassThrough();
  source.end("body");
  const body = new NoX(source);
  await turn();
  expect(source.readableDidRead).toBe(false);
  expect(await text(body)).toBe("body");
});

test("what its pass throws, and what breaks its source, breaks it, also while nobody listens", async () => {
  const source = new PassThrough();
  source.write("xyz");
  const body = new NoX(source).resume();
  await turn();
  expect(body.errored).toMatchObject({ status: 422 });
  expect(source.destroyed).toBe(true);
  const broken = new PassThrough();
  const behind = new NoX(broken).resume();
  broken.destroy(new Error("reset"));
  await turn();
  expect(behind.errored?.message).toBe("reset");
});

test("a body that is let go lets go of its source", async () => {
  const source = new PassThrough();
  new NoX(source).destroy();
  await turn();
  expect(source.destroyed).toBe(true);
});

test("filters are passed in their order, and are asked about a length that is known", async () => {
  const exchange = makeExchange({ method: "POST", body: "abc" });
  const seen: string[] = [];
  for (const name of ["first", "second"]) {
    exchange.filterBody({
      admit: (bytes) => seen.push(`${name} admits ${bytes}`),
      apply(source) {
        seen.push(`${name} applied`);
        return new NoX(source);
      },
    });
  }
  expect(seen).toEqual([]);
  expect((await exchange.bufferBody(10)).toString()).toBe("abc");
  expect(seen).toEqual(["first admits 3", "second admits 3", "first applied", "second applied"]);
});

test("a body made by pipe of one that breaks does not wait for ever", async () => {
  const exchange = makeExchange({ method: "POST", body: "abc" });
  exchange.filterBody({
    apply(source) {
      queueMicrotask(() => source.destroy(new HttpError(408)));
      return new NoX(source);
    },
  });
  exchange.replaceBody(exchange.body.pipe(new PassThrough()));
  await expect(text(exchange.body)).rejects.toMatchObject({ status: 408 });
});

test("a body that a handler set can be read again and again", async () => {
  const exchange = makeExchange();
  exchange.replaceBody("set");
  expect([await text(exchange.body), await text(exchange.body), exchange.wholeBody?.toString()]).toEqual([
    "set",
    "set",
    "set",
  ]);
});
