import { createHmac } from "node:crypto";
import { makeAnswering } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../admin-server/src/testing/provision-module.ts";

const secret = "a key";
const names = { query_param: "sig", header: "X-Sig", expires_param: "until", issued_param: "at" };
const signatureOf = (signed: string) => createHmac("sha512", secret).update(signed).digest("hex");

/** The answer to a request; `passed` when the handler called the next one. */
async function answerTo(target: string, headers: readonly string[] = []) {
  const handler = await provisionHandler("signed_url", { secret, algorithm: "sha512", ...names });
  const made = makeAnswering({ target, headers });
  let passed = false;
  await handler.handle(made.exchange, () => {
    passed = true;
  });
  return passed ? "passed" : [made.status(), made.body().toString()];
}

test("parameters and field have the names of the config", async () => {
  const url = "/file?until=99999999999";
  expect(await answerTo(`${url}&sig=${signatureOf(url)}`)).toBe("passed");
  expect(await answerTo(url, ["X-Sig", signatureOf(url)])).toBe("passed");
  expect(await answerTo(`${url}&signature=${signatureOf(url)}`)).toEqual([401, "Missing signature\n"]);
});

test.each([
  ["/file?until=5", 401, "URL has expired\n"],
  ["/file?until=soon", 400, "Invalid expires parameter\n"],
  ["/file?at=now", 400, "Invalid issued parameter\n"],
])("%s: %i", async (url, status, text) => {
  expect(await answerTo(`${url}&sig=${signatureOf(url)}`)).toEqual([status, text]);
});
