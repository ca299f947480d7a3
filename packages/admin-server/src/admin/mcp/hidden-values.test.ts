import { expect, test } from "vitest";
import { hasHidden, hideSecrets, hideSecretsInPatch } from "./hidden-values.ts";

const pem = "-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----";

test("secrets are known by the names of their members, private keys by their text", () => {
  const config = {
    ...{ api_token: "t", password: "", token: "{env.T}", key: pem, mac_key: "m" },
    set: { Authorization: ["Bearer x"], Accept: ["a"] },
    list: [{ client_secret: "s" }, "plain"],
    factor: { secrets: { ann: "s" }, sign_key: "k", secrets_file_path: "/f" },
    credentials: { user: "u", n: 1 },
  };
  expect(hideSecrets(config)).toEqual({
    ...{ api_token: "(hidden)", password: "", token: "{env.T}", key: "(hidden)", mac_key: "(hidden)" },
    set: { Authorization: ["(hidden)"], Accept: ["a"] },
    list: [{ client_secret: "(hidden)" }, "plain"],
    factor: { secrets: { ann: "(hidden)" }, sign_key: "(hidden)", secrets_file_path: "/f" },
    credentials: { user: "(hidden)", n: 1 },
  });
});

test("those of a patch are known by its paths", () => {
  expect(
    hideSecretsInPatch([
      { op: "replace", path: "/a/api_token", value: "t" },
      { op: "replace", path: "/set/Authorization/0", value: "Bearer x" },
      { op: "add", path: "/issuers/0", value: { api_token: "t", name: "n" } },
      { op: "remove", path: "/password" },
      { op: "replace", path: "/body", value: "hello" },
    ]),
  ).toEqual([
    { op: "replace", path: "/a/api_token", value: "(hidden)" },
    { op: "replace", path: "/set/Authorization/0", value: "(hidden)" },
    { op: "add", path: "/issuers/0", value: { api_token: "(hidden)", name: "n" } },
    { op: "remove", path: "/password" },
    { op: "replace", path: "/body", value: "hello" },
  ]);
});

test.each([
  [{ a: ["(hidden)"] }, true],
  [{ a: { "(left out)": "3 more" } }, true],
  [{ a: "hidden", b: ["left out"] }, false],
])("%j would lose something when written: %s", (value, would) => {
  expect(hasHidden(value)).toBe(would);
});
