import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { grpcAnswerOf, prefixed } from "./grpc-answer.ts";

const ok = { headers: new Map([[":status", "200"]]), trailers: new Map([["grpc-status", "0"]]) };

function compressed(bytes: Buffer): Buffer {
  const body = prefixed(bytes);
  body[0] = 1;
  return body;
}

test("an answer that is not compressed is given as it came", () => {
  const answer = grpcAnswerOf({ ...ok, body: prefixed(Buffer.from("hello")) }, () => {
    throw new Error("must not be called");
  });
  expect(answer).toMatchObject({ status: "OK", message: Buffer.from("hello") });
});

test("a compressed answer is read by whoever compressed the request", () => {
  const body = compressed(gzipSync("hello"));
  expect(grpcAnswerOf({ ...ok, body }, (message) => gunzipSync(message)).message.toString()).toBe("hello");
  expect(grpcAnswerOf({ ...ok, body })).toMatchObject({
    status: "INTERNAL",
    details: "a compressed answer, which was not asked for",
  });
});

test("an answer that cannot be decompressed is an error", () => {
  const answer = grpcAnswerOf({ ...ok, body: compressed(Buffer.from("no gzip")) }, (message) =>
    gunzipSync(message),
  );
  expect(answer.status).toBe("INTERNAL");
  expect(answer.details).toContain("an answer that cannot be decompressed: ");
});
