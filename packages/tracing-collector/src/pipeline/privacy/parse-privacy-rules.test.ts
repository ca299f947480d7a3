import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parsePrivacyRules } from "./parse-privacy-rules.ts";
import { readPrivacyRules } from "./read-privacy-rules.ts";

describe("a mistake is told with line, column and field", () => {
  test.each([
    ["rules: [", /^f\.yaml:1:\d+: is not YAML or JSON/],
    ["", /^f\.yaml:1:1: the document: /],
    ["rules: []", /^f\.yaml:1:8: rules: /],
    ["rules:\n  - action: burn\n", /^f\.yaml:2:13: rules\[0\]\.action: /],
    [
      "rules:\n  - { action: mask, atributes: [a] }",
      /^f\.yaml:2:32: rules\[0\]\.atributes: is not known here$/,
    ],
    ["rules:\n  - { action: mask }", /^f\.yaml:2:5: rules\[0\]: needs attributes, or detect/],
    ["rules:\n  - { action: truncate, attributes: [a] }", /rules\[0\]\.length: /],
    [
      "rules:\n  - { action: truncate, attributes: [a], length: 1, detect: [email] }",
      /detect: is not known here/,
    ],
    ["rules:\n  - action: mask\n    detect:\n      - emial\n", /^f\.yaml:4:9: rules\[0\]\.detect\[0\]: /],
    [
      "rules:\n  - action: mask\n    patterns: ['a', '(']\n",
      /^f\.yaml:3:21: rules\[0\]\.patterns\[1\]: is no pattern/,
    ],
    ["rules:\n  - { action: mask, attributes: [a], with: '\"' }", /rules\[0\]\.with: must have no quotes/],
    [
      "rules:\n  - { action: mask, attributes: [a], in: [span-name] }",
      /rules\[0\]\.in: .* have no attributes/,
    ],
    [
      "rules:\n  - { action: hash, attributes: [Service.Name] }",
      /attributes\[0\]: service\.name of resources/,
    ],
    [
      "rules:\n  - { name: x, action: remove, attributes: [a] }\n  - { name: x, action: remove, attributes: [b] }",
      /^f\.yaml:3:5: rules\[1\]: another rule is called x/,
    ],
    ["a: &a [x]\nrules: *b", /^f\.yaml:\d+:\d+: /],
  ])("%j", (text, message) => {
    expect(() => parsePrivacyRules(text, "f.yaml")).toThrow(message);
  });
});

test("rules get names and the dry run of the file", () => {
  const { rules } = parsePrivacyRules(
    '{"dry-run":true,"rules":[{"action":"mask","detect":["email"]}]}',
    "f.json",
  );
  expect(rules).toMatchObject([{ name: "mask-1", "dry-run": true, with: "****", detect: ["email"] }]);
});

describe("the key of hashes", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "privacy-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function keyOf(head: string, environment = {}) {
    const path = join(folder, "rules.yaml");
    await writeFile(path, `${head}\nrules:\n  - { action: hash, attributes: [user.id] }\n`);
    return (await readPrivacyRules(path, environment)).hashKey?.toString();
  }

  test("is in a file beside the rules, without its last line break, or in the environment", async () => {
    await writeFile(join(folder, "key"), "0123456789abcdef\n");
    expect(await keyOf("hash-key: { file: key }")).toBe("0123456789abcdef");
    expect(await keyOf("hash-key: { environment: KEY }", { KEY: "fedcba9876543210" })).toBe(
      "fedcba9876543210",
    );
  });

  test.each([
    ["", /:3:15: rules\[0\]\.action: hash needs a hash-key/],
    ["hash-key: { file: none }", /:1:19: hash-key\.file: .*none cannot be read: ENOENT/],
    ["hash-key: { environment: KEY }", /hash-key\.environment: the key has 0 bytes; it needs 16/],
    ["hash-key: 0123456789abcdef", /:1:11: hash-key: /],
  ])("%j is refused", async (head, message) => {
    await expect(keyOf(head)).rejects.toThrow(message);
    await expect(keyOf(head)).rejects.not.toThrow("0123456789abcdef");
  });

  test("rules that cannot be read are told", async () => {
    await expect(readPrivacyRules(join(folder, "none"))).rejects.toThrow("cannot be read: ENOENT");
    await writeFile(join(folder, "large"), Buffer.alloc(1024 * 1024 + 1, " "));
    await expect(readPrivacyRules(join(folder, "large"))).rejects.toThrow("over the limit of 1048576");
  });
});
