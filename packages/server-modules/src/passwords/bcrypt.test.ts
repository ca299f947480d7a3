import { expect, test } from "vitest";
import { hashWithBcrypt, verifyBcrypt } from "./bcrypt.ts";

// Sources: the test vectors of jBCrypt, and hashes that Caddy 2.11 wrote.
const abc = "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i";
const vectors = [
  ["a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"],
  ["abc", abc],
  ["pässword:1", "$2a$04$fwUBfBRMKDpagX9LOVXvwOhIcwdfTX4M/w5WwuxWT0mkYhvyuTU0q"],
  ["ü".repeat(36), "$2a$05$S929XOb3fPwEjIzY4dS30eubS5qy7Z3ofnt9NnGhxGFa7N7M3KoUO"],
] as const;

test.each(vectors)("%j has its hash, and no other password has it", (password, hashed) => {
  expect(verifyBcrypt(password, hashed)).toBe(true);
  expect(verifyBcrypt(`${password.slice(0, -1)}!`, hashed)).toBe(false);
});

test.each(["$2b$", "$2y$"])("the prefix %s is the same", (prefix) => {
  expect(verifyBcrypt("abc", abc.replace("$2a$", prefix))).toBe(true);
});

test.each([
  ["nothing", ""],
  ["a prefix that there is not", abc.replace("$2a$", "$2c$")],
  ["another algorithm", abc.replace("$2a$", "$3a$")],
  ["a cost above 31", abc.replace("$06$", "$99$")],
  ["a cost below 4", abc.replace("$06$", "$03$")],
  ["one character less", abc.slice(0, -1)],
  ["one character more", `${abc}a`],
  ["a character that base64 lacks", abc.replace("If6", "If!")],
])("%s in place of a hash is no match", (_, hashed) => {
  expect(verifyBcrypt("abc", hashed)).toBe(false);
});

test("a new hash has the model's prefix, its cost and a salt of its own", async () => {
  const [one, other] = [await hashWithBcrypt("secret", 4), await hashWithBcrypt("secret", 4)];
  expect(one).toMatch(/^\$2a\$04\$[./A-Za-z0-9]{53}$/);
  expect(other).not.toBe(one);
  expect([verifyBcrypt("secret", one), verifyBcrypt("Secret", one)]).toEqual([true, false]);
});
