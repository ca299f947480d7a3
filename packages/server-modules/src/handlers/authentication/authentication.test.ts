import { argon2Sync } from "node:crypto";
import { hashSync } from "bcryptjs";
import { HttpError } from "http-engine/http-error";
import { readPlaceholder } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler, provisionModule } from "../../../../admin-server/src/testing/provision-module.ts";
import { passwordHashes } from "./auth-provider.ts";

const basic = (user: string, password: string) => [
  "Authorization",
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
];
const bcrypt = hashSync("pässword:1", 4);
const nonce = Buffer.from("0123456789abcdef");
const tag = argon2Sync("argon2id", {
  message: "argon",
  nonce,
  parallelism: 1,
  tagLength: 32,
  memory: 64,
  passes: 2,
});
const bare = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
const argon = `$argon2id$v=19$m=64,t=2,p=1$${bare(nonce)}$${bare(tag)}`;

async function user(config: object, headers: readonly string[]): Promise<string> {
  const handler = await provisionHandler("authentication", { providers: { http_basic: config } });
  const exchange = makeExchange({ headers });
  let found = "";
  try {
    await handler.handle(exchange, () => {
      found = readPlaceholder(exchange, "http.auth.user.id") ?? "";
    });
  } catch (error) {
    expect(error).toMatchObject({ status: 401 });
    return exchange.responseHeaders.at(-1) ?? "";
  }
  return found;
}

const challenge = 'Basic realm="restricted"';

for (const hash_cache of [undefined, {}]) {
  test.each([
    ["anna", "pässword:1", "anna"],
    ["anna", "wrong", challenge],
    ["nobody", "pässword:1", challenge],
    ["coded", "pässword:1", "coded"],
    ["", "", challenge],
  ])(`bcrypt, cache ${hash_cache !== undefined}: %s with %s`, async (name, password, expected) => {
    const accounts = [
      { username: "anna", password: bcrypt },
      { username: "coded", password: Buffer.from(bcrypt).toString("base64") },
    ];
    const config = { accounts, ...(hash_cache ? { hash_cache } : {}) };
    expect(await user(config, basic(name, password))).toBe(expected);
  });
}

test.each([
  ["argon", "anna"],
  ["nogra", 'Basic realm="a \\"b\\""'],
])("argon2id: %s", async (password, expected) => {
  const config = {
    hash: { algorithm: "argon2id" },
    realm: 'a "b"\r\n',
    accounts: [{ username: "anna", password: argon }],
  };
  expect(await user(config, basic("anna", password))).toBe(expected);
});

test.each([
  [[]],
  [["Authorization", "Bearer x"]],
  [["Authorization", "Basic"]],
  [["Authorization", "Basic %%%"]],
  [["Authorization", `Basic  ${Buffer.from("anna:pässword:1").toString("base64")}`]],
  [["Authorization", `Basic ${Buffer.from("anna:pässword:1").toString("base64").replace(/=+$/, "")}`]],
  [["Authorization", `Basic ${Buffer.from("nocolon").toString("base64")}`]],
  [["Authorization", `Basic ${"A".repeat(5000)}`]],
])("%.60j is challenged", async (headers) => {
  expect(await user({ accounts: [{ username: "anna", password: bcrypt }] }, headers)).toBe(challenge);
});

test("what fails after a right password is no failure of it", async () => {
  const http_basic = { accounts: [{ username: "anna", password: bcrypt }] };
  const handler = await provisionHandler("authentication", { providers: { http_basic } });
  const exchange = makeExchange({ headers: basic("anna", "pässword:1") });
  const missing = () => {
    throw new HttpError(404);
  };
  await expect(handler.handle(exchange, missing)).rejects.toMatchObject({ status: 404 });
});

test("an unknown user costs a comparison with a real hash", async () => {
  for (const algorithm of ["bcrypt", "argon2id"]) {
    const hash = await provisionModule(passwordHashes, algorithm, {});
    const attempt = { client: "192.0.2.1", remember: false, onGone: () => {} };
    expect(await hash.verify(hash.fakeHash, "anything", attempt)).toBe(false);
  }
});

test("a stored hash of the wrong kind lets nobody in", async () => {
  const config = { hash: { algorithm: "argon2id" }, accounts: [{ username: "anna", password: bcrypt }] };
  expect(await user(config, basic("anna", "pässword:1"))).toBe(challenge);
});

test.each([
  [{ accounts: [{ username: "", password: "$" }] }, "username and password are required"],
  [
    {
      accounts: [
        { username: "a", password: "$x" },
        { username: "a", password: "$y" },
      ],
    },
    "username is not unique: a",
  ],
  [{ accounts: [{ username: "a", password: "nohash" }] }, "neither a hash nor base64"],
  [{ hash: { algorithm: "md5" } }, "unknown module: http.authentication.hashes.md5"],
])("%j is refused", async (config, message) => {
  await expect(provisionHandler("authentication", { providers: { http_basic: config } })).rejects.toThrow(
    message,
  );
});
